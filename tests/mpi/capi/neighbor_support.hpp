// SPDX-License-Identifier: Apache-2.0

/// @file
/// Topologies for tests of neighborhood collectives, with an oracle of its own: which block of
/// which rank arrives where, said without the code under test and without the MPI library.

#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

namespace espalier::test {

/// Where a block comes from; rank -1: nothing arrives.
struct Origin {
  int rank = -1;
  int block = -1;
};

using Offsets = std::vector<std::vector<int>>;

struct Topology {
  std::string name;
  MPI_Comm comm = MPI_COMM_NULL;  ///< MPI_COMM_NULL: this rank takes no part
  std::vector<Origin> in;
  int num_out = 0;
  Offsets offsets{};     ///< not empty: a stencil on the grid of `comm`, which MPI knows nothing of
  bool is_grid = false;  ///< Cartesian
  bool is_stencil = false;  ///< a graph that has the edges of a stencil on a grid
};

inline int test_rank(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

inline int test_size(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

/// A grid by its definition: row-major, last dimension fastest.
struct Grid {
  std::vector<int> extents;
  std::vector<int> periods;

  [[nodiscard]] std::vector<int> coordinates(int rank) const {
    std::vector<int> result(extents.size());
    for (std::size_t d = extents.size(); d-- > 0;) {
      result[d] = rank % extents[d];
      rank /= extents[d];
    }
    return result;
  }

  /// The rank `offset` away in direction `sign`; -1 beyond an open border.
  [[nodiscard]] int neighbor(int rank, std::vector<int> const& offset, int sign) const {
    std::vector<int> const from = coordinates(rank);
    int result = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      int const n = extents[d];
      int c = from[d] + sign * offset[d];
      if (periods[d] != 0) {
        c = ((c % n) + n) % n;
      }
      if (c < 0 || c >= n) {
        return -1;
      }
      result = result * n + c;
    }
    return result;
  }
};

inline MPI_Comm cart(Grid const& grid) {
  MPI_Comm comm = MPI_COMM_NULL;
  auto const num_dimensions = static_cast<int>(grid.extents.size());
  PMPI_Cart_create(
      MPI_COMM_WORLD, num_dimensions, grid.extents.data(), grid.periods.data(), 0, &comm
  );
  return comm;
}

inline std::string text(Grid const& grid) {
  std::string result;
  for (std::size_t d = 0; d < grid.extents.size(); ++d) {
    result +=
        (d == 0 ? "" : "x") + std::to_string(grid.extents[d]) + (grid.periods[d] != 0 ? "p" : "");
  }
  return result;
}

/// MPI's own neighbours: block 2d comes from -1 along dimension d, where it was block 2d + 1.
inline Topology cartesian(Grid const& grid) {
  Topology result{.name = "cart " + text(grid), .comm = cart(grid), .is_grid = true};
  auto const num_dimensions = grid.extents.size();
  result.num_out = static_cast<int>(2 * num_dimensions);
  for (std::size_t d = 0; result.comm != MPI_COMM_NULL && d < num_dimensions; ++d) {
    std::vector<int> unit(num_dimensions);
    unit[d] = 1;
    int const rank = test_rank(result.comm);
    int const low = static_cast<int>(2 * d);
    int const below = grid.neighbor(rank, unit, -1);
    int const above = grid.neighbor(rank, unit, 1);
    result.in.push_back(below < 0 ? Origin{} : Origin{below, low + 1});
    result.in.push_back(above < 0 ? Origin{} : Origin{above, low});
  }
  return result;
}

inline Topology stencil(Grid const& grid, Offsets offsets, std::string const& name) {
  Topology result{.name = name + " on " + text(grid), .comm = cart(grid), .is_grid = true};
  result.num_out = static_cast<int>(offsets.size());
  for (int k = 0; result.comm != MPI_COMM_NULL && k < result.num_out; ++k) {
    int const from =
        grid.neighbor(test_rank(result.comm), offsets[static_cast<std::size_t>(k)], -1);
    result.in.push_back(from < 0 ? Origin{} : Origin{from, k});
  }
  result.offsets = std::move(offsets);
  return result;
}

/// All offsets of -radius .. radius in every dimension, without the centre.
inline Offsets full_stencil(int num_dimensions, int radius = 1) {
  Offsets all{{}};
  for (int d = 0; d < num_dimensions; ++d) {
    Offsets longer;
    for (auto const& row : all) {
      for (int x = -radius; x <= radius; ++x) {
        longer.push_back(row);
        longer.back().push_back(x);
      }
    }
    all = std::move(longer);
  }
  std::erase_if(all, [](auto const& row) {
    return std::ranges::all_of(row, [](int x) { return x == 0; });
  });
  return all;
}

/// Lists of all ranks; of several edges from a to b the k-th of a is the k-th of b.
struct Lists {
  std::vector<std::vector<int>> sources;
  std::vector<std::vector<int>> destinations;
};

/// Edges at random, the same on all ranks: some twice, some from a rank to itself; some ranks may
/// have none. Lists are in different orders at both ends.
inline Lists random_lists(int num_ranks, int num_edges, unsigned seed) {
  std::mt19937 random(seed);
  auto const p = static_cast<std::size_t>(num_ranks);
  Lists lists{std::vector<std::vector<int>>(p), std::vector<std::vector<int>>(p)};
  for (int i = 0; i < num_edges; ++i) {
    std::size_t const from = random() % p;
    std::size_t const to = random() % p;
    lists.destinations[from].push_back(static_cast<int>(to));
    lists.sources[to].push_back(static_cast<int>(from));
  }
  for (auto* const side : {&lists.sources, &lists.destinations}) {
    for (auto& list : *side) {
      std::ranges::shuffle(list, random);
    }
  }
  return lists;
}

inline Topology distributed(Lists const& lists, std::string const& name) {
  Topology result{.name = name};
  auto const rank = static_cast<std::size_t>(test_rank(MPI_COMM_WORLD));
  auto const& sources = lists.sources[rank];
  auto const& destinations = lists.destinations[rank];
  PMPI_Dist_graph_create_adjacent(
      MPI_COMM_WORLD,
      static_cast<int>(sources.size()),
      sources.data(),
      MPI_UNWEIGHTED,
      static_cast<int>(destinations.size()),
      destinations.data(),
      MPI_UNWEIGHTED,
      MPI_INFO_NULL,
      0,
      &result.comm
  );
  result.num_out = static_cast<int>(destinations.size());
  for (std::size_t j = 0; j < sources.size(); ++j) {
    auto const before =
        std::count(sources.begin(), sources.begin() + static_cast<long>(j), sources[j]);
    auto const& theirs = lists.destinations[static_cast<std::size_t>(sources[j])];
    long seen = -1;
    int block = 0;
    while (seen < before) {
      seen += theirs[static_cast<std::size_t>(block++)] == static_cast<int>(rank) ? 1 : 0;
    }
    result.in.push_back({sources[j], block - 1});
  }
  return result;
}

/// The edges of a stencil on a grid of all ranks, in different orders on all ranks and at both
/// ends.
inline Lists stencil_lists(Grid const& grid, Offsets const& offsets) {
  auto const p = static_cast<std::size_t>(test_size(MPI_COMM_WORLD));
  Lists lists{std::vector<std::vector<int>>(p), std::vector<std::vector<int>>(p)};
  for (std::size_t rank = 0; rank < p; ++rank) {
    for (std::vector<int> const& offset : offsets) {
      if (int const to = grid.neighbor(static_cast<int>(rank), offset, 1); to >= 0) {
        lists.destinations[rank].push_back(to);
        lists.sources[static_cast<std::size_t>(to)].push_back(static_cast<int>(rank));
      }
    }
  }
  std::mt19937 random(5);
  for (auto* const side : {&lists.sources, &lists.destinations}) {
    for (auto& list : *side) {
      std::ranges::shuffle(list, random);
    }
  }
  return lists;
}

inline Topology shuffled(Grid const& grid, Offsets const& offsets, std::string const& name) {
  Topology result =
      distributed(stencil_lists(grid, offsets), name + " as a graph on " + text(grid));
  result.is_stencil = test_size(MPI_COMM_WORLD) > 1;
  return result;
}

/// A ring with MPI_Graph_create: everybody knows all of it, neighbours are mutual.
inline Topology graph_ring() {
  int const p = test_size(MPI_COMM_WORLD);
  std::vector<int> index;
  std::vector<int> edges;
  Topology result{.name = "graph ring", .num_out = p == 1 ? 1 : 2, .is_stencil = p > 1};
  for (int rank = 0; rank < p; ++rank) {
    edges.push_back((rank + p - 1) % p);
    if (p > 1) {
      edges.push_back((rank + 1) % p);
    }
    index.push_back(static_cast<int>(edges.size()));
  }
  PMPI_Graph_create(MPI_COMM_WORLD, p, index.data(), edges.data(), 0, &result.comm);
  int const rank = test_rank(MPI_COMM_WORLD);
  if (p == 1) {
    result.in = {{0, 0}};
  } else if (p == 2) {
    // Both entries name the other rank: the first of one is the first of the other.
    result.in = {{1 - rank, 0}, {1 - rank, 1}};
  } else {
    result.in = {{(rank + p - 1) % p, 1}, {(rank + 1) % p, 0}};
  }
  return result;
}

/// Few, but among them extents 1, 2, 3, open and periodic, one to four dimensions.
inline std::vector<Grid> grids(int num_ranks) {
  std::vector<Grid> result{{{num_ranks}, {0}}, {{num_ranks}, {1}}, {{1, num_ranks, 1}, {1, 1, 0}}};
  switch (num_ranks) {
  case 6:
    result.push_back({{2, 3}, {1, 0}});
    break;
  case 7:
    result.push_back({{2, 3}, {1, 1}});  // one rank left out
    break;
  case 8:
    result.push_back({{2, 2, 2}, {1, 0, 1}});
    result.push_back({{4, 1, 2, 1}, {0, 1, 1, 0}});
    break;
  default:
    break;
  }
  return result;
}

/// Grids with corners, as programs describe them that use MPI alone.
inline std::vector<Topology> shuffled_stencils(int num_ranks) {
  std::vector<Topology> result{shuffled({{num_ranks}, {0}}, full_stencil(1, 2), "far")};
  switch (num_ranks) {
  case 6:
    result.push_back(shuffled({{3, 2}, {1, 0}}, full_stencil(2), "full"));
    break;
  case 8:
    result.push_back(shuffled({{2, 2, 2}, {0, 0, 0}}, full_stencil(3), "full"));
    result.push_back(shuffled({{4, 2}, {1, 1}}, full_stencil(2), "full"));
    break;
  default:
    break;
  }
  return result;
}

/// Collective over MPI_COMM_WORLD.
inline std::vector<Topology> topologies() {
  int const p = test_size(MPI_COMM_WORLD);
  std::vector<Topology> result;
  for (Grid const& grid : grids(p)) {
    auto const num_dimensions = static_cast<int>(grid.extents.size());
    result.push_back(cartesian(grid));
    if (num_dimensions <= 3) {
      result.push_back(stencil(grid, full_stencil(num_dimensions), "full"));
    }
  }
  result.push_back(stencil({{p}, {1}}, {{2}, {-1}, {0}, {2}, {-3}}, "odd"));
  result.push_back(stencil({{p}, {0}}, full_stencil(1, 2), "far"));
  result.push_back(stencil({{1, p}, {1, 1}}, full_stencil(2, 2), "far"));
  result.push_back(distributed(random_lists(p, 3 * p, 7), "random graph"));
  result.push_back(distributed(random_lists(p, p / 2 + 1, 11), "sparse graph"));
  result.push_back(distributed(random_lists(p, 0, 1), "empty graph"));
  result.push_back(graph_ring());
  for (Topology& topology : shuffled_stencils(p)) {
    result.push_back(std::move(topology));
  }
  return result;
}

}  // namespace espalier::test
