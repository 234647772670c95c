// SPDX-License-Identifier: Apache-2.0

/// @file
/// The collectives of espalier_grid.h.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "include/espalier_grid.h"

#include <mpi.h>

#include "espalier/capi/arguments.hpp"
#include "espalier/capi/grid_objects.hpp"

namespace espalier::capi {
namespace {

using plan::LineCall;
using schedule::Collective;

std::string where_of(int dimension) {
  return "dimension " + std::to_string(dimension) + ": ";
}

void check_root(schedule::Grid const& grid, int dimension, int root) {
  if (root < 0 || root >= grid.size(dimension)) {
    throw plan::ClassError(
        MPI_ERR_ROOT,
        where_of(dimension) + "expected a root of 0 .. " +
            std::to_string(grid.size(dimension) - 1) + ", got " + std::to_string(root)
    );
  }
}

void check_line_count(int dimension, std::int64_t count) {
  if (count < 0) {
    throw plan::ClassError(
        MPI_ERR_COUNT,
        where_of(dimension) + "expected a count of at least 0, got " + std::to_string(count)
    );
  }
}

/// Only the counts that mean something on this rank: others may be anything.
void check_counts(Collective collective, LineCall const& call, int dimension, int coordinate) {
  bool const is_root = coordinate == call.root;
  if (collective != Collective::gather || is_root) {
    check_line_count(dimension, call.received.count);
  }
  if (collective == Collective::gather || (collective == Collective::scatter && is_root)) {
    check_line_count(dimension, call.sent.count);
  }
}

int run(GridView const& view, Collective collective, std::vector<LineCall> const& calls) {
  if (view.ways.algorithm == "native") {
    return view.lines->run_native(collective, calls, view.ways.is_overlapped);
  }
  std::vector<std::string> const choices =
      plan::line_choices(collective, view.ways.algorithm, calls, view.ways.segment_bytes);
  exec::GridExecutor executor = view.lines->plan(collective, calls, choices);
  std::vector<exec::LineBuffers> const buffers = plan::buffers_of(calls);
  return view.ways.is_overlapped ? executor.run_overlapped(buffers) : executor.run_in_turn(buffers);
}

/// @param call_at the arguments of a dimension.
template <typename CallAt>
int run_all(espalier_grid& grid, Collective collective, CallAt&& call_at) {
  std::vector<LineCall> calls;
  schedule::Grid const& shape = grid.view.lines->grid();
  for (int dimension = 0; dimension < shape.num_dimensions(); ++dimension) {
    LineCall const call = call_at(static_cast<std::size_t>(dimension));
    check_root(shape, dimension, call.root);
    check_counts(collective, call, dimension, grid.view.lines->coordinate(dimension));
    calls.push_back(call);
  }
  return run(grid.view, collective, calls);
}

/// Arguments of gather and scatter.
struct RootedArrays {
  void const* const* inputs;
  int const* sent;
  MPI_Datatype const* sent_types;
  void* const* outputs;
  int const* received;
  MPI_Datatype const* received_types;
  int const* roots;
};

int run_rooted(espalier_grid* grid, Collective collective, RootedArrays const& arrays) {
  return on(grid, [&](espalier_grid& self) {
    check_pointer(static_cast<void const*>(arrays.inputs), "sendbufs");
    check_pointer(arrays.sent, "sendcounts");
    check_pointer(static_cast<void const*>(arrays.sent_types), "sendtypes");
    check_pointer(static_cast<void const*>(arrays.outputs), "recvbufs");
    check_pointer(arrays.received, "recvcounts");
    check_pointer(static_cast<void const*>(arrays.received_types), "recvtypes");
    check_pointer(arrays.roots, "roots");
    return run_all(self, collective, [&](std::size_t i) {
      LineCall call{
          .input = arrays.inputs[i],
          .sent = {.type = arrays.sent_types[i], .count = arrays.sent[i]},
          .output = arrays.outputs[i],
          .received = {.type = arrays.received_types[i], .count = arrays.received[i]},
          .root = arrays.roots[i],
      };
      if (call.input == MPI_IN_PLACE) {
        call.sent = {};
      }
      if (call.output == MPI_IN_PLACE) {
        call.received = {};
      }
      return call;
    });
  });
}

}  // namespace
}  // namespace espalier::capi

extern "C" {

int espalier_grid_bcast(
    espalier_grid* grid,
    void* const buffers[],
    int const counts[],
    MPI_Datatype const types[],
    int const roots[]
) {
  using namespace espalier::capi;
  return on(grid, [&](espalier_grid& self) {
    check_pointer(static_cast<void const*>(buffers), "buffers");
    check_pointer(counts, "counts");
    check_pointer(static_cast<void const*>(types), "types");
    check_pointer(roots, "roots");
    return run_all(self, Collective::bcast, [&](std::size_t i) -> LineCall {
      return {
          .output = buffers[i],
          .received = {.type = types[i], .count = counts[i]},
          .root = roots[i],
      };
    });
  });
}

int espalier_grid_gather(
    espalier_grid* grid,
    void const* const sendbufs[],
    int const sendcounts[],
    MPI_Datatype const sendtypes[],
    void* const recvbufs[],
    int const recvcounts[],
    MPI_Datatype const recvtypes[],
    int const roots[]
) {
  using namespace espalier::capi;
  return run_rooted(
      grid,
      Collective::gather,
      {sendbufs, sendcounts, sendtypes, recvbufs, recvcounts, recvtypes, roots}
  );
}

int espalier_grid_scatter(
    espalier_grid* grid,
    void const* const sendbufs[],
    int const sendcounts[],
    MPI_Datatype const sendtypes[],
    void* const recvbufs[],
    int const recvcounts[],
    MPI_Datatype const recvtypes[],
    int const roots[]
) {
  using namespace espalier::capi;
  return run_rooted(
      grid,
      Collective::scatter,
      {sendbufs, sendcounts, sendtypes, recvbufs, recvcounts, recvtypes, roots}
  );
}

int espalier_grid_reduce(
    espalier_grid* grid,
    void const* const sendbufs[],
    void* const recvbufs[],
    int const counts[],
    MPI_Datatype const types[],
    MPI_Op const ops[],
    int const roots[]
) {
  using namespace espalier::capi;
  return on(grid, [&](espalier_grid& self) {
    check_pointer(static_cast<void const*>(sendbufs), "sendbufs");
    check_pointer(static_cast<void const*>(recvbufs), "recvbufs");
    check_pointer(counts, "counts");
    check_pointer(static_cast<void const*>(types), "types");
    check_pointer(static_cast<void const*>(ops), "ops");
    check_pointer(roots, "roots");
    return run_all(self, Collective::reduce, [&](std::size_t i) -> LineCall {
      return {
          .input = sendbufs[i],
          .sent = {.type = types[i], .count = counts[i]},
          .output = recvbufs[i],
          .received = {.type = types[i], .count = counts[i]},
          .op = ops[i],
          .root = roots[i],
      };
    });
  });
}

}  // extern "C"
