// SPDX-License-Identifier: Apache-2.0

#include "shim/topology.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"
#include "espalier/mapping/dims/dims.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/session.hpp"
#include "espalier/plan/topologies/cartesian.hpp"
#include "espalier/plan/topologies/dist_graph.hpp"
#include "espalier/plan/topologies/mapping_report.hpp"
#include "shim/communicators.hpp"
#include "shim/forward.hpp"
#include "shim/own_work.hpp"
#include "shim/report.hpp"

namespace espalier::shim {

constinit std::atomic<plan::Session*> topology_session{nullptr};

namespace {

using plan::MappedCommunicator;
using plan::Session;

/// Whether there is something to reorder. Facts of the communicator, equal on all its ranks; what
/// is no communicator, the MPI library complains about.
bool is_worth_it(MPI_Comm comm) {
  int is_inter = 0;
  int num_ranks = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) {
    return false;
  }
  return is_inter == 0 && PMPI_Comm_size(comm, &num_ranks) == MPI_SUCCESS && num_ranks > 1 &&
         plan::is_within_world(comm);
}

/// The grid, unless the MPI library has to complain about it, or it has one position.
std::optional<mapping::CartesianGrid>
grid_of(MPI_Comm comm, int ndims, int const* dims, int const* periods) {
  int num_ranks = 0;
  if (ndims < 1 || dims == nullptr || periods == nullptr ||
      PMPI_Comm_size(comm, &num_ranks) != MPI_SUCCESS) {
    return std::nullopt;
  }
  std::int64_t num_positions = 1;
  std::vector<bool> is_periodic;
  for (int dimension = 0; dimension < ndims; ++dimension) {
    num_positions *= dims[dimension];
    if (dims[dimension] < 1 || num_positions > num_ranks) {
      return std::nullopt;
    }
    is_periodic.push_back(periods[dimension] != 0);
  }
  if (num_positions == 1) {
    return std::nullopt;
  }
  return mapping::CartesianGrid({dims, dims + ndims}, std::move(is_periodic));
}

/// On rank 0 of the communicator: what was done, for the user and the statistics.
void report(Session& session, char const* function, MappedCommunicator const& made) {
  for (std::string const& line : made.warnings) {
    if (session.notes().remember(line)) {
      print_line(line);
    }
  }
  if (made.report.empty()) {
    return;
  }
  bool const is_told = session.settings().tells_mapping && !made.mapping.is_identity() &&
                       session.notes().is_first("mapping");
  if (is_told) {
    print_line(plan::mapping_notice(function, made.report));
  } else if (session.settings().is_verbose) {
    print_line(std::string(function) + " " + made.report);
  }
  if (session.records()) {
    session.notes().add({
        .function = function,
        .num_ranks = made.places->num_ranks(),
        .algorithm = made.mapping.algorithm,
        .report = made.report,
    });
  }
}

/// Says once for each function that nothing may be mapped; on rank 0 of the communicator.
void report_handed_over(char const* function, MPI_Comm comm) {
  Session* const session = topology_session.load(std::memory_order_acquire);
  int rank = 0;
  if (session == nullptr || !session->settings().is_verbose ||
      PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS || rank != 0) {
    return;
  }
  std::string const line =
      std::string(function) + ": the program does not permit another order of ranks (reorder = 0)";
  if (session->notes().is_first(line)) {
    print_line(line);
  }
}

/// Leaves a topology to the MPI library, because the order of ranks has to stay.
template <typename Native>
int hand_over(char const* function, MPI_Comm comm, void* result, Native&& native) {
  int const code = made(native(), result);
  if (code == MPI_SUCCESS) {
    report_handed_over(function, comm);
  }
  return code;
}

/// Makes a topology: `make` returns it, or nothing if the arguments are for the MPI library.
template <typename Make, typename Native>
int serve(char const* function, MPI_Comm comm, void* result, Make&& make, Native&& native) {
  Session* const session = topology_session.load(std::memory_order_acquire);
  if (session == nullptr || !session->settings().maps_topologies || result == nullptr) {
    return made(native(), result);
  }
  bool is_made = false;
  int const code = plan::guard(std::string_view(function), [&] {
    OwnWork const own;
    if (!is_worth_it(comm)) {
      return MPI_SUCCESS;
    }
    if (std::optional<MappedCommunicator> const made = make(session->settings().machine)) {
      *static_cast<MPI_Comm*>(result) = made->comm;
      is_made = true;
      report(*session, function, *made);
    }
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    return plan::raise(comm, code);
  }
  return made(is_made ? code : native(), result);
}

}  // namespace

int cart_create(
    Handle comm_old, int ndims, int const* dims, int const* periods, int reorder, void* comm_cart
) {
  auto const native = [&] {
    return forward.cart_create(comm_old, ndims, dims, periods, reorder, comm_cart);
  };
  auto const comm = from_handle<MPI_Comm>(comm_old);
  if (reorder == 0) {
    return hand_over("MPI_Cart_create", comm, comm_cart, native);
  }
  return serve(
      "MPI_Cart_create",
      comm,
      comm_cart,
      [&](plan::MachineText const& machine) -> std::optional<MappedCommunicator> {
        auto const grid = grid_of(comm, ndims, dims, periods);
        return grid
                   ? std::optional(plan::create_cartesian(comm, {.grid = *grid, .machine = machine})
                     )
                   : std::nullopt;
      },
      native
  );
}

int dist_graph_create_adjacent(
    Handle comm_old,
    int indegree,
    int const* sources,
    int const* sourceweights,
    int outdegree,
    int const* destinations,
    int const* destweights,
    Handle info,
    int reorder,
    void* comm_dist_graph
) {
  auto const native = [&] {
    return forward.dist_graph_create_adjacent(
        comm_old,
        indegree,
        sources,
        sourceweights,
        outdegree,
        destinations,
        destweights,
        info,
        reorder,
        comm_dist_graph
    );
  };
  auto const comm = from_handle<MPI_Comm>(comm_old);
  if (reorder == 0) {
    return hand_over("MPI_Dist_graph_create_adjacent", comm, comm_dist_graph, native);
  }
  plan::AdjacentGraph const graph{
      .indegree = indegree,
      .sources = sources,
      .source_weights = sourceweights,
      .outdegree = outdegree,
      .destinations = destinations,
      .destination_weights = destweights,
      .info = from_handle<MPI_Info>(info),
  };
  return serve(
      "MPI_Dist_graph_create_adjacent",
      comm,
      comm_dist_graph,
      [&](plan::MachineText const& machine) {
        return plan::create_dist_graph(comm, graph, machine);
      },
      native
  );
}

int dist_graph_create(
    Handle comm_old,
    int n,
    int const* sources,
    int const* degrees,
    int const* destinations,
    int const* weights,
    Handle info,
    int reorder,
    void* comm_dist_graph
) {
  auto const native = [&] {
    return forward.dist_graph_create(
        comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph
    );
  };
  auto const comm = from_handle<MPI_Comm>(comm_old);
  if (reorder == 0) {
    return hand_over("MPI_Dist_graph_create", comm, comm_dist_graph, native);
  }
  plan::EdgeGraph const graph{
      .num_sources = n,
      .sources = sources,
      .degrees = degrees,
      .destinations = destinations,
      .weights = weights,
      .info = from_handle<MPI_Info>(info),
  };
  return serve(
      "MPI_Dist_graph_create",
      comm,
      comm_dist_graph,
      [&](plan::MachineText const& machine) {
        return plan::create_dist_graph(comm, graph, machine);
      },
      native
  );
}

int dims_create(int nnodes, int ndims, int* dims) {
  Session const* const session = topology_session.load(std::memory_order_acquire);
  if (session == nullptr || !session->settings().balances_dims || ndims < 1 || dims == nullptr) {
    return forward.dims_create(nnodes, ndims, dims);
  }
  try {
    std::ranges::copy(mapping::balanced_dims(nnodes, {dims, dims + ndims}), dims);
    return MPI_SUCCESS;
  } catch (Error const&) {
    // What no grid fits is for the MPI library to complain about.
    return forward.dims_create(nnodes, ndims, dims);
  }
}

}  // namespace espalier::shim
