// SPDX-License-Identifier: Apache-2.0

/// @file
/// Every algorithm for neighborhood collectives is proved on grids of one to four dimensions, whole
/// or open, with stencils of all shapes, and on random graphs.

#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/verify/neighborhood.hpp"
#include "tests/support/neighborhoods.hpp"

namespace espalier::neighborhood {
namespace {

using test::NamedNeighborhood;

#ifdef ESPALIER_FEW_RANKS
constexpr int most_ranks = 9;
#else
constexpr int most_ranks = 33;
#endif

std::string described(Algorithm const& algorithm, Request const& request, std::string const& name) {
  return full_name(algorithm) + " on " + name + ", sizes " +
         std::to_string(static_cast<int>(request.sizes)) +
         (request.node_of_rank.empty() ? "" : ", on nodes");
}

/// Proves one request with all algorithms that serve it; the number of proofs.
int prove_request(Request const& request, std::string const& name) {
  int num_proofs = 0;
  for (Algorithm const* algorithm : catalog()) {
    if (!refuses(*algorithm, request).empty()) {
      continue;
    }
    verify::Verdict const verdict = verify::prove(*algorithm, request);
    EXPECT_TRUE(verdict.holds()) << described(*algorithm, request, name) << ": "
                                 << to_string(*verdict.violation);
    ++num_proofs;
  }
  return num_proofs;
}

int prove_all(Neighborhood const& all, std::string const& name, std::span<int const> nodes) {
  int num_proofs = 0;
  for (Collective const collective :
       {Collective::neighbor_alltoall, Collective::neighbor_allgather}) {
    for (BlockSizes const sizes : {BlockSizes::equal, BlockSizes::by_offset, BlockSizes::by_edge}) {
      num_proofs += prove_request(
          {.collective = collective, .neighborhood = all, .node_of_rank = nodes, .sizes = sizes},
          name
      );
    }
  }
  return num_proofs;
}

int prove_grid(std::vector<int> const& extents, unsigned periods) {
  int num_proofs = 0;
  for (NamedNeighborhood const& the : test::on_grid(extents, periods)) {
    auto const placements = test::placements(the.neighborhood.num_ranks());
    auto const which = (periods + extents.size() + the.name.size()) % placements.size();
    num_proofs += prove_all(the.neighborhood, the.name, placements[which]);
  }
  return num_proofs;
}

TEST(NeighborhoodCatalog, IsRightOnLinesAndRings) {
  for (int p = 1; p <= most_ranks; ++p) {
    EXPECT_EQ(prove_grid({p}, 0), 5 * 2 * 3 * 3);
    prove_grid({p}, 1);
  }
}

TEST(NeighborhoodCatalog, IsRightOnGridsOfTwoDimensions) {
  for (int a = 1; a <= 5; ++a) {
    for (int b = 1; a * b <= most_ranks; b += 1 + b / 4) {
      for (unsigned periods = 0; periods < 4; ++periods) {
        prove_grid({a, b}, periods);
      }
    }
  }
}

TEST(NeighborhoodCatalog, IsRightOnGridsOfMoreDimensions) {
  for (std::vector<int> const& extents : std::vector<std::vector<int>>{
           {1, 1, 1}, {2, 2, 2}, {1, 2, 3}, {3, 3, 3}, {2, 4, 3}, {1, 2, 1, 3}, {2, 2, 2, 2}
       }) {
    for (unsigned periods = 0; periods < 1U << extents.size(); ++periods) {
      prove_grid(extents, periods);
    }
  }
}

TEST(NeighborhoodCatalog, IsRightOnLargeGrids) {
#ifdef ESPALIER_FEW_RANKS
  std::vector<std::vector<int>> const grids{{8, 8}};
#else
  std::vector<std::vector<int>> const grids{{10, 10}, {8, 4, 4}, {7, 7, 7}};
#endif
  for (std::vector<int> const& extents : grids) {
    mapping::CartesianGrid const grid = test::grid_of(extents, 1);
    for (std::string const& shape : test::shapes) {
      auto const all =
          Neighborhood::of_stencil(grid, test::offsets_of(shape, grid.num_dimensions()));
      auto const nodes = test::placements(all.num_ranks());
      for (Collective const collective :
           {Collective::neighbor_alltoall, Collective::neighbor_allgather}) {
        EXPECT_EQ(
            prove_request(
                {.collective = collective,
                 .neighborhood = all,
                 .node_of_rank = nodes[2],
                 .sizes = BlockSizes::by_edge},
                test::to_text(extents, 1) + " " + shape
            ),
            3
        );
      }
    }
  }
}

/// As isomorphic ones, but for sizes by offset: ranks may have other orders of edges.
constexpr int proofs_of_recognised = 2 * 2 * 3;

TEST(NeighborhoodCatalog, IsRightOnGraphsInWhichAStencilIsRecognised) {
  std::vector<std::vector<int>> grids{{2}, {5}, {8}, {3, 2}, {2, 4}, {3, 3}, {2, 2, 2}};
#ifndef ESPALIER_FEW_RANKS
  grids.insert(
      grids.end(), {{33}, {1, 7}, {4, 4}, {5, 6}, {3, 3, 3}, {2, 4, 3}, {2, 2, 2, 2}, {3, 2, 2, 3}}
  );
#endif
  int num_graphs = 0;
  for (std::vector<int> const& extents : grids) {
    for (unsigned periods = 0; periods < 1U << extents.size(); ++periods) {
      for (NamedNeighborhood const& the : test::recognised_on_grid(extents, periods)) {
        auto const placements = test::placements(the.neighborhood.num_ranks());
        auto const& nodes = placements[the.name.size() % placements.size()];
        EXPECT_EQ(prove_all(the.neighborhood, the.name, nodes), proofs_of_recognised) << the.name;
        ++num_graphs;
      }
    }
  }
  EXPECT_GT(num_graphs, 30);
}

TEST(NeighborhoodCatalog, IsRightOnLargeGraphsInWhichAStencilIsRecognised) {
#ifdef ESPALIER_FEW_RANKS
  std::vector<std::vector<int>> const grids{{6, 6}};
#else
  std::vector<std::vector<int>> const grids{{16, 16}, {7, 7, 7}, {4, 4, 4, 4}};
#endif
  for (std::vector<int> const& extents : grids) {
    auto const grid = test::grid_of(extents, 1);
    auto const stencil =
        Neighborhood::of_stencil(grid, test::offsets_of("full", grid.num_dimensions()));
    auto const graph = Neighborhood::recognised(test::shuffled(stencil, 5));
    std::string const name = test::to_text(extents, 1) + " as a graph";
    for (Collective const collective :
         {Collective::neighbor_alltoall, Collective::neighbor_allgather}) {
      Request const request{
          .collective = collective, .neighborhood = graph, .sizes = BlockSizes::by_edge
      };
      EXPECT_EQ(prove_request(request, name), 2) << "direct and combining";
    }
  }
}

TEST(NeighborhoodCatalog, IsRightOnRandomGraphs) {
  for (int p = 1; p <= most_ranks; ++p) {
    for (int const edges_per_rank : {0, 1, 3}) {
      auto const seed = static_cast<std::uint32_t>(p * 10 + edges_per_rank);
      Neighborhood const graph = test::random_graph(p, p * edges_per_rank, seed);
      for (std::vector<int> const& nodes : test::placements(p)) {
        EXPECT_EQ(prove_all(graph, "graph " + std::to_string(seed), nodes), 2 * 2 * 2);
      }
    }
  }
}

}  // namespace
}  // namespace espalier::neighborhood
