// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/grid_run.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace espalier::plan {

ScheduledLine::ScheduledLine(exec::MpiExecutor executor, exec::LineBuffers buffers) noexcept
    : executor_(std::move(executor)), buffers_(buffers) {}

GridRun::GridRun(LineRuns lines, bool is_overlapped)
    : lines_(std::move(lines)), is_complete_(lines_.size()), is_overlapped_(is_overlapped) {}

bool GridRun::is_broken() const noexcept {
  return std::ranges::any_of(lines_, [](auto const& line) { return line->is_broken(); });
}

int GridRun::begin() noexcept {
  std::ranges::fill(is_complete_, char{false});
  num_started_ = 0;
  num_complete_ = 0;
  code_ = MPI_SUCCESS;
  start_next();
  return MPI_SUCCESS;
}

void GridRun::end(std::size_t line, int code) noexcept {
  is_complete_[line] = char{true};
  ++num_complete_;
  code_ = code_ == MPI_SUCCESS ? code : code_;
}

void GridRun::start_next() noexcept {
  while (num_started_ < lines_.size() && (is_overlapped_ || num_started_ == num_complete_)) {
    std::size_t const line = num_started_++;
    if (int const code = lines_[line]->start(); code != MPI_SUCCESS) {
      end(line, code);
    }
  }
}

int GridRun::proceed(bool& is_complete) noexcept {
  for (std::size_t line = 0; line < num_started_; ++line) {
    if (is_complete_[line] != 0) {
      continue;
    }
    bool is_at_end = false;
    int const code = lines_[line]->progress(is_at_end);
    if (is_at_end || code != MPI_SUCCESS) {
      end(line, code);
    }
  }
  start_next();
  is_complete = num_complete_ == lines_.size();
  return is_complete ? code_ : MPI_SUCCESS;
}

int GridRun::finish() noexcept {
  int code = MPI_SUCCESS;
  for (bool is_complete = false; code == MPI_SUCCESS && !is_complete;) {
    code = proceed(is_complete);
    if (!is_complete) {
      std::this_thread::yield();  // to the ranks that it waits for
    }
  }
  return code;
}

}  // namespace espalier::plan
