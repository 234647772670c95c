// SPDX-License-Identifier: Apache-2.0

/// @file
/// Multi-dimensional collectives: one collective along each dimension of a Cartesian process grid.

#pragma once

#include <span>
#include <vector>

#include "espalier/exec/messages/mpi_executor.hpp"
#include "espalier/schedule/grid.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::exec {

/// Addresses of one line, as MpiExecutor::run() takes them.
struct LineBuffers {
  void const* input = nullptr;
  void* output = nullptr;
};

/// The collectives of one rank along all dimensions of a grid, ready to run any number of times.
///
/// Each line of the grid runs its own collective, with its own schedule, type and size, on the
/// communicator of the whole grid: lines through a rank meet nowhere else, so no communicator is
/// split. Source: Karlsson 2012, "multi-dimensional communication".
class GridExecutor {
public:
  /// @param lines one executor for each dimension, made from programs that went through
  ///     schedule::onto_line.
  explicit GridExecutor(std::vector<MpiExecutor> lines);

  /// Collective over the grid: one dimension after the other, so that the result of one can be the
  /// contribution to the next. @return MPI_SUCCESS or the code of the first error.
  int run_in_turn(std::span<LineBuffers const> buffers) noexcept;

  /// Collective over the grid: all dimensions at the same time; no output may overlap another
  /// buffer. @return MPI_SUCCESS or the code of the first error.
  int run_overlapped(std::span<LineBuffers const> buffers) noexcept;

  [[nodiscard]] int num_dimensions() const noexcept { return static_cast<int>(lines_.size()); }

private:
  std::vector<MpiExecutor> lines_;
  std::vector<char> is_complete_;
};

}  // namespace espalier::exec
