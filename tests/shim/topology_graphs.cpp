// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <mpi.h>

#include "tests/mpi/fake_nodes.hpp"
#include "tests/shim/topology.hpp"

namespace shim_test {
namespace {

/// All edges, by vertex; weights differ.
struct Links {
  std::vector<std::vector<int>> to;
  std::vector<std::vector<int>> weight;
};

/// Vertices 2 i and 2 i + 1 do not talk to each other, i and i + half do, as heavily as can be; a
/// ring of light edges in addition, and a vertex without any edge.
Links links(int num_vertices) {
  Links result;
  auto const size = static_cast<std::size_t>(num_vertices);
  result.to.resize(size);
  result.weight.resize(size);
  int const half = num_vertices / 2;
  auto const add = [&](int from, int to, int weight) {
    result.to[static_cast<std::size_t>(from)].push_back(to);
    result.weight[static_cast<std::size_t>(from)].push_back(weight);
  };
  for (int vertex = 0; vertex < half; ++vertex) {
    add(vertex, vertex + half, 100 + vertex);
    add(vertex + half, vertex, 200 + vertex);
    add(vertex, (vertex + 1) % half, 1);
  }
  return result;
}

struct Neighbors {
  std::vector<int> sources;
  std::vector<int> source_weights;
  std::vector<int> destinations;
  std::vector<int> destination_weights;

  friend bool operator==(Neighbors const&, Neighbors const&) = default;
};

/// What a vertex declares: sources in descending order, to see that the order is kept.
Neighbors neighbors_of(Links const& all, int vertex) {
  Neighbors result;
  result.destinations = all.to[static_cast<std::size_t>(vertex)];
  result.destination_weights = all.weight[static_cast<std::size_t>(vertex)];
  for (std::size_t from = all.to.size(); from-- > 0;) {
    for (std::size_t i = 0; i < all.to[from].size(); ++i) {
      if (all.to[from][i] == vertex) {
        result.sources.push_back(static_cast<int>(from));
        result.source_weights.push_back(all.weight[from][i]);
      }
    }
  }
  return result;
}

Neighbors neighbors_in(MPI_Comm graph, bool is_weighted) {
  int indegree = 0;
  int outdegree = 0;
  int weighted = -1;
  MPI_Dist_graph_neighbors_count(graph, &indegree, &outdegree, &weighted);
  require((weighted != 0) == is_weighted, "weights if weights were given");
  Neighbors result;
  // Room for one more: a vector without elements has no address.
  for (auto* list : {&result.sources, &result.source_weights}) {
    list->resize(static_cast<std::size_t>(indegree + 1));
  }
  for (auto* list : {&result.destinations, &result.destination_weights}) {
    list->resize(static_cast<std::size_t>(outdegree + 1));
  }
  MPI_Dist_graph_neighbors(
      graph,
      indegree,
      result.sources.data(),
      is_weighted ? result.source_weights.data() : MPI_UNWEIGHTED,
      outdegree,
      result.destinations.data(),
      is_weighted ? result.destination_weights.data() : MPI_UNWEIGHTED
  );
  for (auto* list :
       {&result.sources, &result.source_weights, &result.destinations, &result.destination_weights
       }) {
    list->pop_back();
  }
  return result;
}

int const* weights_of(std::vector<int> const& weights, bool is_weighted) {
  if (!is_weighted) {
    return MPI_UNWEIGHTED;
  }
  return weights.empty() ? MPI_WEIGHTS_EMPTY : weights.data();
}

MPI_Comm create_adjacent(Neighbors const& own, bool is_weighted, int reorder) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(
      MPI_COMM_WORLD,
      static_cast<int>(own.sources.size()),
      own.sources.data(),
      weights_of(own.source_weights, is_weighted),
      static_cast<int>(own.destinations.size()),
      own.destinations.data(),
      weights_of(own.destination_weights, is_weighted),
      MPI_INFO_NULL,
      reorder,
      &made
  );
  return made;
}

/// Who declares which edges of a graph.
enum class Declared { by_source, by_rank_0, by_next };

MPI_Comm create_general(Links const& all, Declared declared, bool is_weighted, int reorder) {
  int const rank = rank_of(MPI_COMM_WORLD);
  int const size = size_of(MPI_COMM_WORLD);
  std::vector<int> sources;
  std::vector<int> degrees;
  std::vector<int> destinations;
  std::vector<int> weights;
  // Open MPI wants an address of arrays without elements, too.
  destinations.reserve(1);
  for (int vertex = 0; vertex < size; ++vertex) {
    int const owner = declared == Declared::by_rank_0 ? 0
                      : declared == Declared::by_next ? (vertex + 1) % size
                                                      : vertex;
    auto const place = static_cast<std::size_t>(vertex);
    if (owner == rank) {
      sources.push_back(vertex);
      degrees.push_back(static_cast<int>(all.to[place].size()));
      destinations.insert(destinations.end(), all.to[place].begin(), all.to[place].end());
      weights.insert(weights.end(), all.weight[place].begin(), all.weight[place].end());
    }
  }
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Dist_graph_create(
      MPI_COMM_WORLD,
      static_cast<int>(sources.size()),
      sources.data(),
      degrees.data(),
      destinations.data(),
      weights_of(weights, is_weighted),
      MPI_INFO_NULL,
      reorder,
      &made
  );
  return made;
}

/// Weight of all edges that leave their node.
int weight_between_nodes(MPI_Comm graph, Links const& all) {
  std::vector<int> const old_ranks = all_of(graph, rank_of(MPI_COMM_WORLD));
  int total = 0;
  for (std::size_t from = 0; from < all.to.size(); ++from) {
    for (std::size_t i = 0; i < all.to[from].size(); ++i) {
      int const to = old_ranks[static_cast<std::size_t>(all.to[from][i])];
      bool const leaves = fake_nodes::node_of(to) != fake_nodes::node_of(old_ranks[from]);
      total += leaves ? all.weight[from][i] : 0;
    }
  }
  return total;
}

/// Neighbours send their ranks to each other.
void check_exchange(MPI_Comm graph, Neighbors const& vertex) {
  int const rank = rank_of(graph);
  std::vector<int> received(vertex.sources.size() + 1, -1);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, received.data(), 1, MPI_INT, graph);
  received.pop_back();
  require(received == vertex.sources, "messages come from the sources");
}

Neighbors without_weights(Neighbors neighbors) {
  neighbors.source_weights.assign(neighbors.sources.size(), 0);
  neighbors.destination_weights.assign(neighbors.destinations.size(), 0);
  return neighbors;
}

void check_adjacent(Links const& all, bool is_weighted) {
  Neighbors const own = neighbors_of(all, rank_of(MPI_COMM_WORLD));
  MPI_Comm plain = create_adjacent(own, is_weighted, 0);
  MPI_Comm mapped = create_adjacent(own, is_weighted, 1);
  Neighbors expected = neighbors_of(all, rank_of(mapped));
  Neighbors found = neighbors_in(mapped, is_weighted);
  if (!is_weighted) {
    expected = without_weights(expected);
    found = without_weights(found);
  }
  require(found == expected, "the neighbours that the rank of this number declared, in order");
  check_exchange(mapped, expected);
  require(
      weight_between_nodes(mapped, all) <= weight_between_nodes(plain, all),
      "never more weight between nodes"
  );
  MPI_Comm_free(&plain);
  MPI_Comm_free(&mapped);
}

/// In any order, as MPI permits.
std::vector<std::array<int, 2>>
sorted(std::vector<int> const& neighbors, std::vector<int> const& weights, bool is_weighted) {
  std::vector<std::array<int, 2>> result;
  for (std::size_t i = 0; i < neighbors.size(); ++i) {
    result.push_back({neighbors[i], is_weighted ? weights[i] : 0});
  }
  std::ranges::sort(result);
  return result;
}

void check_general(Links const& all, Declared declared, bool is_weighted) {
  MPI_Comm mapped = create_general(all, declared, is_weighted, 1);
  Neighbors const expected = neighbors_of(all, rank_of(mapped));
  Neighbors const found = neighbors_in(mapped, is_weighted);
  require(
      sorted(found.sources, found.source_weights, is_weighted) ==
          sorted(expected.sources, expected.source_weights, is_weighted),
      "the sources of the vertex of this number"
  );
  require(
      sorted(found.destinations, found.destination_weights, is_weighted) ==
          sorted(expected.destinations, expected.destination_weights, is_weighted),
      "the destinations of the vertex of this number"
  );
  check_exchange(mapped, found);
  MPI_Comm_free(&mapped);
}

/// Four heavy pairs across two nodes, as ranks lie; each pair fits onto one.
void check_known_graph() {
  if (size_of(MPI_COMM_WORLD) != 8 || fake_nodes::node_of != fake_nodes::pairs) {
    return;
  }
  Links const all = links(8);
  Neighbors const own = neighbors_of(all, rank_of(MPI_COMM_WORLD));
  MPI_Comm mapped = create_adjacent(own, true, 1);
  require(all_of(mapped, rank_of(MPI_COMM_WORLD)).front() == 0, "rank 0 stays rank 0");
  int const between = weight_between_nodes(mapped, all);
  require(is_mapped ? between == 4 : between > 1000, "heavy pairs are on one node when mapped");
  MPI_Comm_free(&mapped);
}

}  // namespace

/// A vertex that there is not, on all ranks.
void check_wrong_graphs() {
  MPI_Comm comm = forgiving();
  int const wrong = size_of(comm);
  std::array<int, 2> codes{};
  for (int reorder = 0; reorder < 2; ++reorder) {
    MPI_Comm made = MPI_COMM_NULL;
    codes[static_cast<std::size_t>(reorder)] = error_class(MPI_Dist_graph_create_adjacent(
        comm, 1, &wrong, MPI_UNWEIGHTED, 1, &wrong, MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &made
    ));
  }
  require(codes[0] == codes[1], "the error of the MPI library, if it looks");
  MPI_Comm_free(&comm);
}

void check_graphs() {
  Links const all = links(size_of(MPI_COMM_WORLD));
  for (bool const is_weighted : {false, true}) {
    check_adjacent(all, is_weighted);
    for (Declared const declared : {Declared::by_source, Declared::by_rank_0, Declared::by_next}) {
      check_general(all, declared, is_weighted);
    }
  }
  check_known_graph();
}

}  // namespace shim_test
