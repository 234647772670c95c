// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/neighbors/neighbor_topology.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::plan {
namespace {

using mpi::require_success;
using neighborhood::End;
using neighborhood::Neighborhood;

int rank_of(MPI_Comm comm) {
  int rank = 0;
  require_success(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  require_success(PMPI_Comm_size(comm, &size), "MPI_Comm_size");
  return size;
}

int num_dimensions_of(MPI_Comm comm) {
  int num_dimensions = 0;
  require_success(PMPI_Cartdim_get(comm, &num_dimensions), "MPI_Cartdim_get");
  return num_dimensions;
}

/// The neighbours of one rank in a graph as MPI_Graph_create describes it.
std::vector<int> graph_neighbors(MPI_Comm comm, int rank) {
  int num_neighbors = 0;
  require_success(
      PMPI_Graph_neighbors_count(comm, rank, &num_neighbors), "MPI_Graph_neighbors_count"
  );
  std::vector<int> neighbors(static_cast<std::size_t>(num_neighbors));
  require_success(
      PMPI_Graph_neighbors(comm, rank, num_neighbors, neighbors.data()), "MPI_Graph_neighbors"
  );
  return neighbors;
}

/// Both neighbours in each dimension; MPI_PROC_NULL beyond the edge of the grid.
std::vector<int> grid_neighbors(MPI_Comm comm) {
  std::vector<int> neighbors;
  for (int dimension = 0; dimension < num_dimensions_of(comm); ++dimension) {
    int before = 0;
    int after = 0;
    require_success(PMPI_Cart_shift(comm, dimension, 1, &before, &after), "MPI_Cart_shift");
    neighbors.push_back(before);
    neighbors.push_back(after);
  }
  return neighbors;
}

/// Every rank knows all of it.
Neighborhood neighborhood_of_graph(MPI_Comm comm) {
  std::vector<std::vector<int>> neighbors;
  for (int rank = 0; rank < size_of(comm); ++rank) {
    neighbors.push_back(graph_neighbors(comm, rank));
  }
  return Neighborhood::recognised(Neighborhood::of_lists(neighbors, neighbors));
}

struct Lists {
  std::vector<int> sources;
  std::vector<int> destinations;
};

Lists lists_of(MPI_Comm comm) {
  int num_in = 0;
  int num_out = 0;
  int is_weighted = 0;
  require_success(
      PMPI_Dist_graph_neighbors_count(comm, &num_in, &num_out, &is_weighted),
      "MPI_Dist_graph_neighbors_count"
  );
  Lists lists;
  lists.sources.resize(static_cast<std::size_t>(num_in));
  lists.destinations.resize(static_cast<std::size_t>(num_out));
  std::vector<int> in_weights(lists.sources.size() + 1);
  std::vector<int> out_weights(lists.destinations.size() + 1);
  require_success(
      PMPI_Dist_graph_neighbors(
          comm,
          num_in,
          lists.sources.data(),
          in_weights.data(),
          num_out,
          lists.destinations.data(),
          out_weights.data()
      ),
      "MPI_Dist_graph_neighbors"
  );
  return lists;
}

/// A number of its own for each edge, but for rare ones that share it (splitmix64).
std::uint64_t number_of_edge(int from, int to) noexcept {
  std::uint64_t bits = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32U) |
                       static_cast<std::uint32_t>(to);
  bits += 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

/// An edge that only one end names would be waited for. Collective: what is in the lists of both
/// ends adds up to 0 over all ranks.
/// @throws Error argument on all ranks, mpi.
void require_both_ends(Lists const& lists, MPI_Comm comm) {
  int const rank = rank_of(comm);
  std::uint64_t sum = 0;
  for (int const source : lists.sources) {
    sum += source < 0 ? 0 : number_of_edge(source, rank);
  }
  for (int const destination : lists.destinations) {
    sum -= destination < 0 ? 0 : number_of_edge(rank, destination);
  }
  require_success(
      PMPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm), "MPI_Allreduce"
  );
  if (sum != 0) {
    throw Error(
        ErrorCode::argument,
        "expected each edge of a distributed graph in the lists of both its ranks, found one that "
        "one rank alone lists"
    );
  }
}

/// What the other end of each edge in `to` answers when every rank sends along `from` what is in
/// `values`: messages of a pair keep their order, so the k-th edge of a list meets the k-th.
std::vector<int> exchanged(
    std::span<int const> from, std::span<int const> values, std::span<int const> to, MPI_Comm comm
) {
  std::vector<int> received(to.size(), -1);
  std::vector<MPI_Request> requests(to.size() + from.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < to.size(); ++i) {
    int const peer = to[i] < 0 ? MPI_PROC_NULL : to[i];
    require_success(PMPI_Irecv(&received[i], 1, MPI_INT, peer, 0, comm, &requests[i]), "MPI_Irecv");
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    int const peer = from[i] < 0 ? MPI_PROC_NULL : from[i];
    MPI_Request* const request = &requests[to.size() + i];
    require_success(PMPI_Isend(&values[i], 1, MPI_INT, peer, 0, comm, request), "MPI_Isend");
  }
  require_success(
      PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
      "MPI_Waitall"
  );
  return received;
}

std::vector<End> joined(std::span<int const> peers, std::span<int const> indices) {
  std::vector<End> ends(peers.size());
  for (std::size_t i = 0; i < peers.size(); ++i) {
    ends[i] = peers[i] < 0 ? End{} : End{.peer = peers[i], .index = indices[i]};
  }
  return ends;
}

Neighborhood neighborhood_of_dist_graph(MPI_Comm user, MPI_Comm private_comm) {
  Lists const lists = lists_of(user);
  require_both_ends(lists, private_comm);
  std::vector<int> out_numbers(lists.destinations.size());
  std::vector<int> in_numbers(lists.sources.size());
  std::iota(out_numbers.begin(), out_numbers.end(), 0);
  std::iota(in_numbers.begin(), in_numbers.end(), 0);
  auto const of_in = exchanged(lists.destinations, out_numbers, lists.sources, private_comm);
  auto const of_out = exchanged(lists.sources, in_numbers, lists.destinations, private_comm);
  return Neighborhood::of_one_rank(
      size_of(user), rank_of(user), joined(lists.sources, of_in), joined(lists.destinations, of_out)
  );
}

std::vector<int> peers_of(std::vector<End> const& ends) {
  std::vector<int> peers;
  for (End const& end : ends) {
    peers.push_back(end.peer);
  }
  return peers;
}

/// With -1 for MPI_PROC_NULL.
std::vector<int> without_null(std::vector<int> peers) {
  std::ranges::replace(peers, MPI_PROC_NULL, -1);
  return peers;
}

/// The list of every rank. Collective.
std::vector<std::vector<int>> gathered(std::vector<int> const& own, MPI_Comm comm) {
  auto const num_ranks = static_cast<std::size_t>(size_of(comm));
  auto const size = static_cast<int>(own.size());
  std::vector<int> sizes(num_ranks);
  std::vector<int> places(num_ranks);
  require_success(
      PMPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, comm), "MPI_Allgather"
  );
  std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
  std::vector<int> all(
      static_cast<std::size_t>(places.back()) + static_cast<std::size_t>(sizes.back())
  );
  require_success(
      PMPI_Allgatherv(
          own.data(), size, MPI_INT, all.data(), sizes.data(), places.data(), MPI_INT, comm
      ),
      "MPI_Allgatherv"
  );
  std::vector<std::vector<int>> lists;
  for (std::size_t rank = 0; rank < num_ranks; ++rank) {
    auto const begin = all.begin() + places[rank];
    lists.emplace_back(begin, begin + sizes[rank]);
  }
  return lists;
}

/// None if an edge has one end only, as every rank sees.
std::optional<Neighborhood> of_lists(
    std::vector<std::vector<int>> const& sources, std::vector<std::vector<int>> const& destinations
) {
  try {
    return Neighborhood::recognised(Neighborhood::of_lists(sources, destinations));
  } catch (Error const& error) {
    if (error.code() != ErrorCode::argument) {
      throw;
    }
    return std::nullopt;
  }
}

std::optional<Neighborhood> shared_neighborhood_of_graph(MPI_Comm comm) {
  std::vector<std::vector<int>> neighbors;
  std::size_t num_edges = 0;
  for (int rank = 0; rank < size_of(comm); ++rank) {
    neighbors.push_back(graph_neighbors(comm, rank));
    num_edges += 2 * neighbors.back().size();
    if (num_edges > most_shared_edges) {
      return std::nullopt;
    }
  }
  return of_lists(neighbors, neighbors);
}

std::optional<Neighborhood> shared_neighborhood_of_dist_graph(MPI_Comm comm) {
  Lists const lists = lists_of(comm);
  std::int64_t num_edges =
      static_cast<std::int64_t>(lists.sources.size() + lists.destinations.size());
  require_success(
      PMPI_Allreduce(MPI_IN_PLACE, &num_edges, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce"
  );
  if (num_edges > static_cast<std::int64_t>(most_shared_edges)) {
    return std::nullopt;
  }
  auto const sources = gathered(without_null(lists.sources), comm);
  auto const destinations = gathered(without_null(lists.destinations), comm);
  return of_lists(sources, destinations);
}

}  // namespace

int topology_of(MPI_Comm comm) {
#ifdef ESPALIER_MPI_SIMULATED
  // SimGrid has grids only, and no MPI_Topo_test.
  int num_dimensions = 0;
  return PMPI_Cartdim_get(comm, &num_dimensions) == MPI_SUCCESS ? MPI_CART : MPI_UNDEFINED;
#else
  int topology = MPI_UNDEFINED;
  require_success(PMPI_Topo_test(comm, &topology), "MPI_Topo_test");
  return topology;
#endif
}

bool has_neighbors(MPI_Comm comm) {
  int is_inter = 0;
  require_success(PMPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
  if (is_inter != 0) {
    return false;
  }
  int const topology = topology_of(comm);
  return topology == MPI_CART ? num_dimensions_of(comm) > 0 : topology != MPI_UNDEFINED;
}

std::vector<int> destinations_of(MPI_Comm comm) {
  if (!has_neighbors(comm)) {
    return {};
  }
  std::vector<int> peers;
  switch (topology_of(comm)) {
  case MPI_CART:
    peers = grid_neighbors(comm);
    break;
  case MPI_GRAPH:
    peers = graph_neighbors(comm, rank_of(comm));
    break;
  default:
    peers = lists_of(comm).destinations;
  }
  return without_null(std::move(peers));
}

mapping::CartesianGrid grid_of(MPI_Comm comm) {
  auto const num_dimensions = static_cast<std::size_t>(num_dimensions_of(comm));
  std::vector<int> extents(num_dimensions);
  std::vector<int> periods(num_dimensions);
  std::vector<int> coordinates(num_dimensions);
  require_success(
      PMPI_Cart_get(
          comm, static_cast<int>(num_dimensions), extents.data(), periods.data(), coordinates.data()
      ),
      "MPI_Cart_get"
  );
  return mapping::CartesianGrid(std::move(extents), {periods.begin(), periods.end()});
}

std::optional<Neighborhood> shared_neighborhood_of(MPI_Comm comm) {
  switch (topology_of(comm)) {
  case MPI_CART:
    return Neighborhood::of_cartesian(grid_of(comm));
  case MPI_GRAPH:
    return shared_neighborhood_of_graph(comm);
  default:
    return shared_neighborhood_of_dist_graph(comm);
  }
}

Neighborhood neighborhood_of(MPI_Comm user, MPI_Comm private_comm) {
  switch (topology_of(user)) {
  case MPI_CART:
    return Neighborhood::of_cartesian(grid_of(user));
  case MPI_GRAPH:
    return neighborhood_of_graph(user);
  case MPI_DIST_GRAPH:
    return neighborhood_of_dist_graph(user, private_comm);
  default:
    throw Error(
        ErrorCode::argument,
        "expected a communicator with a Cartesian, graph or distributed graph topology, got one "
        "without a topology"
    );
  }
}

Neighborhood with_all_edges(Neighborhood const& own, MPI_Comm private_comm) {
  if (own.knows_all()) {
    return own;
  }
  int const rank = rank_of(private_comm);
  auto const sources = gathered(peers_of(own.in_edges(rank)), private_comm);
  auto const destinations = gathered(peers_of(own.out_edges(rank)), private_comm);
  return Neighborhood::recognised(Neighborhood::of_lists(sources, destinations));
}

std::vector<int> nodes_of_ranks(MPI_Comm private_comm) {
  MPI_Comm node = MPI_COMM_NULL;
  require_success(
      PMPI_Comm_split_type(private_comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
      "MPI_Comm_split_type"
  );
  int number = rank_of(private_comm);
  int const code = PMPI_Bcast(&number, 1, MPI_INT, 0, node);
  PMPI_Comm_free(&node);
  require_success(code, "MPI_Bcast");
  std::vector<int> numbers(static_cast<std::size_t>(size_of(private_comm)));
  require_success(
      PMPI_Allgather(&number, 1, MPI_INT, numbers.data(), 1, MPI_INT, private_comm), "MPI_Allgather"
  );
  return numbers;
}

}  // namespace espalier::plan
