// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/program/program_moves.hpp"

#include <algorithm>
#include <span>

namespace espalier::onesided {
namespace {

struct Run {
  std::int64_t offset = 0;
  std::int64_t num_bytes = 0;
};

std::vector<Run> runs_of(std::span<exec::Piece const> pieces, std::int64_t extent_bytes) {
  std::vector<Run> runs;
  exec::for_each_run(pieces, [&](std::int64_t offset, std::int64_t num_elements) {
    runs.push_back({.offset = offset, .num_bytes = num_elements * extent_bytes});
  });
  return runs;
}

/// Takes bytes from the front of a list of runs.
class Cursor {
public:
  explicit Cursor(std::vector<Run> runs) : runs_(std::move(runs)) {}

  [[nodiscard]] bool is_at_end() {
    while (next_ < runs_.size() && runs_[next_].num_bytes == 0) {
      ++next_;
    }
    return next_ == runs_.size();
  }

  [[nodiscard]] std::int64_t num_adjacent() const { return runs_[next_].num_bytes; }

  std::int64_t take(std::int64_t num_bytes) {
    Run& run = runs_[next_];
    run.num_bytes -= num_bytes;
    run.offset += num_bytes;
    return run.offset - num_bytes;
  }

private:
  std::vector<Run> runs_;
  std::size_t next_ = 0;
};

}  // namespace

ProgramMoves::ProgramMoves(exec::BoundProgram const& program) {
  first_.reserve(program.operations.size() + 1);
  first_.push_back(0);
  for (exec::BoundOperation const& operation : program.operations) {
    add(program, operation);
    first_.push_back(static_cast<int>(moves_.size()));
  }
}

void ProgramMoves::add(exec::BoundProgram const& program, exec::BoundOperation const& operation) {
  std::int64_t const extent_bytes = program.element_extent_bytes;
  Cursor from(runs_of(program.sources(operation), extent_bytes));
  Cursor to(runs_of(program.pieces(operation), extent_bytes));
  while (!from.is_at_end() && !to.is_at_end()) {
    std::int64_t const now = std::min(from.num_adjacent(), to.num_adjacent());
    moves_.push_back({
        .from = from.take(now),
        .to = to.take(now),
        .num_bytes = static_cast<std::size_t>(now),
    });
  }
}

}  // namespace espalier::onesided
