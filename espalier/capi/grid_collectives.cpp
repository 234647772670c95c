// SPDX-License-Identifier: Apache-2.0

/// @file
/// The collectives of espalier_grid.h.

#include <cstddef>
#include <utility>
#include <vector>

#include "include/espalier_grid.h"

#include <mpi.h>

#include "espalier/capi/arguments.hpp"
#include "espalier/capi/grid_call.hpp"
#include "espalier/capi/grid_objects.hpp"
#include "espalier/capi/grid_request.hpp"

namespace espalier::capi {
namespace {

using plan::LineCall;
using schedule::Collective;

/// By algorithms of the catalog. Requests that are underway move on meanwhile.
int run_scheduled(GridView const& view, GridCollective const& call) {
  if (has_device_memory(view, call)) {
    refuse_device_memory(view.ways);
  }
  auto executors = view.lines->executors(
      call.collective, call.lines, choices_of(view.ways, call), view.lines->own_comm()
  );
  if (plan::Underway::is_any()) {
    plan::GridRun grid(plan::runs_of(std::move(executors), call.lines), view.ways.is_overlapped);
    int const code = grid.start();
    return code == MPI_SUCCESS ? grid.wait() : code;
  }
  exec::GridExecutor executor(std::move(executors));
  std::vector<exec::LineBuffers> const buffers = plan::buffers_of(call.lines);
  return view.ways.is_overlapped ? executor.run_overlapped(buffers) : executor.run_in_turn(buffers);
}

int run(espalier_grid& grid, GridCollective const& call) {
  check(*grid.view.lines, call);
  if (grid.view.ways.algorithm == "native") {
    return grid.view.lines->run_native(call.collective, call.lines, grid.view.ways.is_overlapped);
  }
  return run_scheduled(grid.view, call);
}

/// A call along all dimensions, from the arguments of each.
template <typename LineAt>
GridCollective call_of(espalier_grid const& grid, Collective collective, LineAt&& line_at) {
  GridCollective call{.collective = collective, .lines = {}};
  auto const num_dimensions = static_cast<std::size_t>(grid.view.lines->grid().num_dimensions());
  for (std::size_t dimension = 0; dimension < num_dimensions; ++dimension) {
    call.lines.push_back(line_at(dimension));
  }
  return call;
}

/// Arguments of a broadcast, read when they are checked.
struct BcastArrays {
  void* const* buffers;
  int const* counts;
  MPI_Datatype const* types;
  int const* roots;

  [[nodiscard]] GridCollective read(espalier_grid const& grid, Collective collective) const {
    check_pointer(reinterpret_cast<void const*>(buffers), "buffers");
    check_pointer(counts, "counts");
    check_pointer(reinterpret_cast<void const*>(types), "types");
    check_pointer(roots, "roots");
    return call_of(grid, collective, [&](std::size_t i) -> LineCall {
      return {
          .output = buffers[i],
          .received = {.type = types[i], .count = counts[i]},
          .root = roots[i],
      };
    });
  }
};

/// Arguments of gather and scatter.
struct RootedArrays {
  void const* const* inputs;
  int const* sent;
  MPI_Datatype const* sent_types;
  void* const* outputs;
  int const* received;
  MPI_Datatype const* received_types;
  int const* roots;

  [[nodiscard]] GridCollective read(espalier_grid const& grid, Collective collective) const {
    check_pointer(reinterpret_cast<void const*>(inputs), "sendbufs");
    check_pointer(sent, "sendcounts");
    check_pointer(reinterpret_cast<void const*>(sent_types), "sendtypes");
    check_pointer(reinterpret_cast<void const*>(outputs), "recvbufs");
    check_pointer(received, "recvcounts");
    check_pointer(reinterpret_cast<void const*>(received_types), "recvtypes");
    check_pointer(roots, "roots");
    return call_of(grid, collective, [&](std::size_t i) {
      LineCall line{
          .input = inputs[i],
          .sent = {.type = sent_types[i], .count = sent[i]},
          .output = outputs[i],
          .received = {.type = received_types[i], .count = received[i]},
          .root = roots[i],
      };
      if (line.input == MPI_IN_PLACE) {
        line.sent = {};
      }
      if (line.output == MPI_IN_PLACE) {
        line.received = {};
      }
      return line;
    });
  }
};

struct ReduceArrays {
  void const* const* inputs;
  void* const* outputs;
  int const* counts;
  MPI_Datatype const* types;
  MPI_Op const* ops;
  int const* roots;

  [[nodiscard]] GridCollective read(espalier_grid const& grid, Collective collective) const {
    check_pointer(reinterpret_cast<void const*>(inputs), "sendbufs");
    check_pointer(reinterpret_cast<void const*>(outputs), "recvbufs");
    check_pointer(counts, "counts");
    check_pointer(reinterpret_cast<void const*>(types), "types");
    check_pointer(reinterpret_cast<void const*>(ops), "ops");
    check_pointer(roots, "roots");
    return call_of(grid, collective, [&](std::size_t i) -> LineCall {
      return {
          .input = inputs[i],
          .sent = {.type = types[i], .count = counts[i]},
          .output = outputs[i],
          .received = {.type = types[i], .count = counts[i]},
          .op = ops[i],
          .root = roots[i],
      };
    });
  }
};

template <typename Arrays>
int run(espalier_grid* grid, Collective collective, Arrays const& arrays) noexcept {
  return on(grid, [&](espalier_grid& self) { return run(self, arrays.read(self, collective)); });
}

template <typename Arrays>
int plan_request(
    espalier_grid* grid, Collective collective, Arrays const& arrays, espalier_request** request
) noexcept {
  return on(grid, [&](espalier_grid& self) {
    plan_grid_call(self, [&] { return arrays.read(self, collective); }, request);
    return MPI_SUCCESS;
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
  return run(grid, Collective::bcast, BcastArrays{buffers, counts, types, roots});
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
  return run(
      grid,
      Collective::gather,
      RootedArrays{sendbufs, sendcounts, sendtypes, recvbufs, recvcounts, recvtypes, roots}
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
  return run(
      grid,
      Collective::scatter,
      RootedArrays{sendbufs, sendcounts, sendtypes, recvbufs, recvcounts, recvtypes, roots}
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
  return run(grid, Collective::reduce, ReduceArrays{sendbufs, recvbufs, counts, types, ops, roots});
}

int espalier_grid_bcast_init(
    espalier_grid* grid,
    void* const buffers[],
    int const counts[],
    MPI_Datatype const types[],
    int const roots[],
    espalier_request** request
) {
  using namespace espalier::capi;
  return plan_request(grid, Collective::bcast, BcastArrays{buffers, counts, types, roots}, request);
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_grid_gather_init(
    espalier_grid* grid,
    void const* const sendbufs[],
    int const sendcounts[],
    MPI_Datatype const sendtypes[],
    void* const recvbufs[],
    int const recvcounts[],
    MPI_Datatype const recvtypes[],
    int const roots[],
    espalier_request** request
) {
  using namespace espalier::capi;
  return plan_request(
      grid,
      Collective::gather,
      RootedArrays{sendbufs, sendcounts, sendtypes, recvbufs, recvcounts, recvtypes, roots},
      request
  );
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_grid_scatter_init(
    espalier_grid* grid,
    void const* const sendbufs[],
    int const sendcounts[],
    MPI_Datatype const sendtypes[],
    void* const recvbufs[],
    int const recvcounts[],
    MPI_Datatype const recvtypes[],
    int const roots[],
    espalier_request** request
) {
  using namespace espalier::capi;
  return plan_request(
      grid,
      Collective::scatter,
      RootedArrays{sendbufs, sendcounts, sendtypes, recvbufs, recvcounts, recvtypes, roots},
      request
  );
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_grid_reduce_init(
    espalier_grid* grid,
    void const* const sendbufs[],
    void* const recvbufs[],
    int const counts[],
    MPI_Datatype const types[],
    MPI_Op const ops[],
    int const roots[],
    espalier_request** request
) {
  using namespace espalier::capi;
  return plan_request(
      grid, Collective::reduce, ReduceArrays{sendbufs, recvbufs, counts, types, ops, roots}, request
  );
}

}  // extern "C"
