// SPDX-License-Identifier: Apache-2.0

/// @file
/// The lines of a Cartesian process grid, and collectives along all of them.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/exec/collectives/mpi_grid.hpp"
#include "espalier/exec/messages/mpi_executor.hpp"
#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/plan/communicators/seats.hpp"
#include "espalier/plan/devices/spans.hpp"
#include "espalier/plan/topologies/grid_run.hpp"
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

  /// The executors of plan() by themselves, whose messages travel elsewhere. Local.
  /// @param context of a communicator of the ranks of the grid, in its order
  /// @throws Error mpi, unsupported.
  [[nodiscard]] std::vector<exec::MpiExecutor> executors(
      schedule::Collective collective,
      std::span<LineCall const> calls,
      std::span<std::string const> choices,
      exec::MpiContext const& context
  ) const;

  /// Communicators of all lines, apart from those of line(). Collective over the grid.
  /// @param like of the ranks of the grid, in its order
  /// @throws Error mpi.
  [[nodiscard]] std::vector<mpi::OwnCommunicator> make_lines(MPI_Comm like) const;

  /// Where messages of requests travel. Collective over the grid when called for the first time.
  /// @throws Error mpi.
  [[nodiscard]] Seats& seats();

  /// A communicator of our own of the ranks of the grid. Collective over the grid when called for
  /// the first time.
  /// @throws Error mpi.
  [[nodiscard]] MPI_Comm own_comm();

private:
  [[nodiscard]] MPI_Comm split(MPI_Comm like, int dimension) const;

  mpi::OwnCommunicator comm_;
  mpi::OwnCommunicator own_{MPI_COMM_NULL};
  std::optional<Seats> seats_;
  schedule::Grid grid_;
  int rank_;
  std::vector<mpi::OwnCommunicator> lines_;
};

/// Executors with the buffers of their calls. Local.
[[nodiscard]] LineRuns
runs_of(std::vector<exec::MpiExecutor> executors, std::span<LineCall const> calls);

/// MPI's own nonblocking collective on a line.
/// @param comm must outlive it
/// @throws Error unsupported for other collectives than bcast, gather, scatter and reduce; mpi.
[[nodiscard]] std::unique_ptr<LineRun>
native_run(schedule::Collective collective, LineCall const& call, MPI_Comm comm);

/// What a call reads and writes on this rank, from the first byte to the last.
/// @param size of the line
/// @throws Error mpi.
[[nodiscard]] std::vector<Span>
spans_of(schedule::Collective collective, LineCall const& call, int size, int coordinate);

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
