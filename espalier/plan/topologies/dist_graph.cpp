// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/dist_graph.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/mpi/own_communicator.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/topologies/mapping_report.hpp"
#include "espalier/plan/topologies/rank_0.hpp"

namespace espalier::plan {
namespace {

using mpi::OwnCommunicator;
using mpi::require_success;

constexpr int tag = 0;

/// Whether all ranks have weights, or none, and none has wrong arguments; the same on all ranks.
bool agree(OwnCommunicator const& own, Weighting weighting) {
  std::vector<int> const all = own.at_root(std::array{static_cast<int>(weighting)});
  bool const is_agreed =
      std::ranges::all_of(all, [&](int each) { return each == static_cast<int>(weighting); });
  int const decided = is_agreed && weighting != Weighting::wrong ? 1 : 0;
  return own.from_root(std::vector{decided}).front() == 1;
}

/// All edges on rank 0.
std::vector<mapping::Edge>
gather(OwnCommunicator const& own, std::vector<mapping::Edge> const& edges) {
  std::vector<int> numbers;
  for (mapping::Edge const& edge : edges) {
    numbers.insert(numbers.end(), {edge.from, edge.to, static_cast<int>(edge.weight)});
  }
  std::vector<int> const all = own.at_root(numbers);
  std::vector<mapping::Edge> result;
  for (std::size_t i = 0; i < all.size(); i += 3) {
    result.push_back({.from = all[i], .to = all[i + 1], .weight = static_cast<double>(all[i + 2])});
  }
  return result;
}

/// Everything but the communicator.
MappedCommunicator find_order(
    MPI_Comm comm,
    OwnCommunicator const& own,
    std::vector<mapping::Edge> const& edges,
    MachineText const& machine
) {
  MappedCommunicator result;
  std::vector<mapping::Edge> const all = gather(own, edges);
  std::optional<FoundPlaces> found = find_places_at_root(comm, machine);
  own.run_at_root([&] {
    result.places = std::move(found->places);
    result.warnings = std::move(found->warnings);
    int const num_ranks = result.places->num_ranks();
    result.mapping = map_graph(mapping::make_graph(num_ranks, all), *result.places);
    result.mapping.rank_at = keep_rank_0(std::move(result.mapping.rank_at), *result.places);
    result.report =
        mapping_report("graph of " + std::to_string(num_ranks), result.mapping, *result.places);
  });
  result.mapping.rank_at = own.from_root(std::move(result.mapping.rank_at));
  result.mapping.algorithm = own.from_root(std::move(result.mapping.algorithm));
  return result;
}

int position_of(int rank, std::vector<int> const& rank_at) {
  return static_cast<int>(std::ranges::find(rank_at, rank) - rank_at.begin());
}

/// What one vertex knows of its neighbours.
struct Neighborhood {
  std::vector<int> sources;
  std::vector<int> source_weights;
  std::vector<int> destinations;
  std::vector<int> destination_weights;
};

/// Sends what this process declared to the one that plays its vertex.
class Handover {
public:
  Handover(OwnCommunicator const& own, int to, int from) : comm_(own.get()), to_(to), from_(from) {}

  [[nodiscard]] std::vector<int> operator()(int const* values, int number) const {
    int num_received = 0;
    exchange({&number, 1}, {&num_received, 1});
    std::vector<int> received(static_cast<std::size_t>(num_received));
    exchange({values, static_cast<std::size_t>(number)}, received);
    return received;
  }

private:
  void exchange(std::span<int const> sent, std::span<int> received) const {
    require_success(
        PMPI_Sendrecv(
            sent.data(),
            static_cast<int>(sent.size()),
            MPI_INT,
            to_,
            tag,
            received.data(),
            static_cast<int>(received.size()),
            MPI_INT,
            from_,
            tag,
            comm_,
            MPI_STATUS_IGNORE
        ),
        "MPI_Sendrecv"
    );
  }

  MPI_Comm comm_;
  int to_;
  int from_;
};

Neighborhood hand_over(Handover const& handover, AdjacentGraph const& graph, bool is_weighted) {
  Neighborhood own{
      .sources = handover(graph.sources, graph.indegree),
      .destinations = handover(graph.destinations, graph.outdegree),
  };
  if (is_weighted) {
    own.source_weights = handover(graph.source_weights, graph.indegree);
    own.destination_weights = handover(graph.destination_weights, graph.outdegree);
  }
  return own;
}

/// Open MPI wants an address of arrays without elements, too.
int const* address(int const* values) noexcept {
  static constexpr int nothing = 0;
  return values == nullptr ? &nothing : values;
}

int const* weights_argument(std::vector<int> const& weights, bool is_weighted) {
  if (!is_weighted) {
    return MPI_UNWEIGHTED;
  }
  return weights.empty() ? MPI_WEIGHTS_EMPTY : weights.data();
}

OwnCommunicator with_topology(
    OwnCommunicator const& ordered, Neighborhood const& vertex, bool is_weighted, MPI_Info info
) {
  MPI_Comm made = MPI_COMM_NULL;
  require_success(
      PMPI_Dist_graph_create_adjacent(
          ordered.get(),
          static_cast<int>(vertex.sources.size()),
          address(vertex.sources.data()),
          weights_argument(vertex.source_weights, is_weighted),
          static_cast<int>(vertex.destinations.size()),
          address(vertex.destinations.data()),
          weights_argument(vertex.destination_weights, is_weighted),
          info,
          0,
          &made
      ),
      "MPI_Dist_graph_create_adjacent"
  );
  return OwnCommunicator(made);
}

/// The graph is the same whoever declares its edges.
OwnCommunicator with_topology(OwnCommunicator const& ordered, EdgeGraph const& graph) {
  MPI_Comm made = MPI_COMM_NULL;
  require_success(
      PMPI_Dist_graph_create(
          ordered.get(),
          graph.num_sources,
          address(graph.sources),
          address(graph.degrees),
          address(graph.destinations),
          address(graph.weights),
          graph.info,
          0,
          &made
      ),
      "MPI_Dist_graph_create"
  );
  return OwnCommunicator(made);
}

}  // namespace

std::optional<MappedCommunicator>
create_dist_graph(MPI_Comm comm, AdjacentGraph const& graph, MachineText const& machine) {
  OwnCommunicator const own = OwnCommunicator::duplicate(comm);
  Weighting const weights = weighting(graph, own.size());
  if (!agree(own, weights)) {
    return std::nullopt;
  }
  int const rank = own.rank();
  MappedCommunicator result = find_order(comm, own, edges(graph, rank), machine);
  std::vector<int> const& rank_at = result.mapping.rank_at;
  int const position = position_of(rank, rank_at);
  Handover const handover(own, rank_at[static_cast<std::size_t>(rank)], position);
  bool const is_weighted = weights == Weighting::given;
  Neighborhood const vertex = hand_over(handover, graph, is_weighted);
  OwnCommunicator const ordered = own.split(position);
  result.comm = with_topology(ordered, vertex, is_weighted, graph.info).release(comm);
  return result;
}

std::optional<MappedCommunicator>
create_dist_graph(MPI_Comm comm, EdgeGraph const& graph, MachineText const& machine) {
  OwnCommunicator const own = OwnCommunicator::duplicate(comm);
  if (!agree(own, weighting(graph, own.size()))) {
    return std::nullopt;
  }
  int const rank = own.rank();
  MappedCommunicator result = find_order(comm, own, edges(graph, rank), machine);
  OwnCommunicator const ordered = own.split(position_of(rank, result.mapping.rank_at));
  result.comm = with_topology(ordered, graph).release(comm);
  return result;
}

}  // namespace espalier::plan
