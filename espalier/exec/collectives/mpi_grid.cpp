// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/collectives/mpi_grid.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace espalier::exec {

GridExecutor::GridExecutor(std::vector<MpiExecutor> lines)
    : lines_(std::move(lines)), is_complete_(lines_.size()) {}

int GridExecutor::run_in_turn(std::span<LineBuffers const> buffers) noexcept {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    int const code = lines_[i].run(buffers[i].input, buffers[i].output);
    if (code != MPI_SUCCESS) {
      return code;
    }
  }
  return MPI_SUCCESS;
}

int GridExecutor::run_overlapped(std::span<LineBuffers const> buffers) noexcept {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    int const code = lines_[i].start(buffers[i].input, buffers[i].output);
    if (code != MPI_SUCCESS) {
      return code;
    }
  }
  std::ranges::fill(is_complete_, char{false});
  for (std::size_t num_complete = 0; num_complete < lines_.size();) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (is_complete_[i] != 0) {
        continue;
      }
      bool is_complete = false;
      if (int const code = lines_[i].progress(is_complete); code != MPI_SUCCESS) {
        return code;
      }
      is_complete_[i] = static_cast<char>(is_complete);
      num_complete += is_complete ? 1 : 0;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace espalier::exec
