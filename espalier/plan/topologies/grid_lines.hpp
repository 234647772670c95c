// SPDX-License-Identifier: Apache-2.0

/// @file
/// The lines of a Cartesian process grid, and collectives along all of them.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/exec/collectives/mpi_grid.hpp"
#include "espalier/exec/messages/mpi_executor.hpp"
#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/schedule/collective.hpp"
#include "espalier/schedule/grid.hpp"

namespace espalier::plan {

/// Arguments of the collective along one dimension, as MPI has them. Bcast, reduce and allreduce
/// take `received` as their count and type, bcast `output` as its buffer.
struct LineCall {
  void const* input = nullptr;
  exec::TypedCount sent{};  ///< type MPI_DATATYPE_NULL: in place
  void* output = nullptr;
  exec::TypedCount received{};
  MPI_Op op = MPI_OP_NULL;
  int root = 0;  ///< coordinate on the line
};

/// A Cartesian communicator with the communicators of its lines, which are made when they are first
/// asked for: collectives by our schedules need none of them, only one duplicate.
class GridLines {
public:
  /// Takes over a communicator of as many ranks as the grid has positions. Local.
  GridLines(MPI_Comm comm, mapping::CartesianGrid const& grid);

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_.get(); }

  [[nodiscard]] schedule::Grid const& grid() const noexcept { return grid_; }

  [[nodiscard]] int rank() const noexcept { return rank_; }

  [[nodiscard]] int coordinate(int dimension) const noexcept {
    return grid_.coordinate(rank_, dimension);
  }

  /// The ranks that differ in one coordinate only, ordered by it; with the error handler of comm().
  /// One MPI_Comm_split when asked for the first time: then collective over the grid.
  /// @throws Error mpi.
  [[nodiscard]] MPI_Comm line(int dimension);

  /// MPI's own collective on the lines, one dimension after the other, or all started together by
  /// the nonblocking calls. Collective over the grid. @return MPI_SUCCESS or an MPI error code.
  /// @throws Error mpi.
  int run_native(
      schedule::Collective collective, std::span<LineCall const> calls, bool is_overlapped
  );

  /// The same by an algorithm of the catalog, to be run any number of times. Collective over the
  /// grid when called for the first time, afterwards local.
  /// @param choices for each dimension, such as `bcast/chain[segments=16]`.
  /// @throws Error mpi, unsupported.
  [[nodiscard]] exec::GridExecutor plan(
      schedule::Collective collective,
      std::span<LineCall const> calls,
      std::span<std::string const> choices
  );

private:
  mpi::OwnCommunicator comm_;
  mpi::OwnCommunicator own_{MPI_COMM_NULL};
  schedule::Grid grid_;
  int rank_;
  std::vector<mpi::OwnCommunicator> lines_;
};

/// The addresses of calls, as GridExecutor takes them.
[[nodiscard]] std::vector<exec::LineBuffers> buffers_of(std::span<LineCall const> calls);

/// An algorithm for each dimension of a grid.
/// @param name `pipeline`: a chain, the message in segments of so many bytes; `binomial`.
/// @throws Error unsupported for a collective that has no such algorithm; argument for another
///   name.
[[nodiscard]] std::vector<std::string> line_choices(
    schedule::Collective collective,
    std::string const& name,
    std::span<LineCall const> calls,
    std::int64_t segment_bytes
);

}  // namespace espalier::plan
