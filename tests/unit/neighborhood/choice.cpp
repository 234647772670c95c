// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/choice.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "espalier/neighborhood/load.hpp"
#include "tests/support/neighborhoods.hpp"

namespace espalier::neighborhood {
namespace {

constexpr double alpha = 2e-6;
constexpr double beta = 1e-9;

Links hockney() {
  machine::Link const link{.latency = alpha, .per_byte = beta};
  return {.across = link, .inside = link};
}

Neighborhood full_stencil(std::vector<int> const& extents, unsigned periods) {
  return Neighborhood::of_stencil(
      test::grid_of(extents, periods), test::offsets_of("full", static_cast<int>(extents.size()))
  );
}

Line line_of(std::string const& name, Request const& request, Links const& links) {
  return line(find(request.collective, name), request, links);
}

TEST(NeighborhoodChoice, CutsOverWherePublished) {
  // 3-D, all 26 neighbours: t = 26 messages, C = 6 messages, V = 6 + 2 * 12 + 3 * 8 = 54 blocks.
  Neighborhood const all = full_stencil({5, 5, 5}, 7);
  Request const request{.neighborhood = all};
  Line const direct = line_of("direct", request, hockney());
  Line const combining = line_of("combining", request, hockney());
  EXPECT_DOUBLE_EQ(direct.fixed, 26 * alpha);
  EXPECT_DOUBLE_EQ(direct.per_byte, 26 * beta);
  EXPECT_DOUBLE_EQ(combining.fixed, 6 * alpha);
  EXPECT_DOUBLE_EQ(combining.per_byte, 54 * beta);
  Interval const interval = faster_bytes(combining, direct);
  EXPECT_EQ(interval.from, 0);
  EXPECT_NEAR(interval.to, alpha / beta * 20 / 28, 1e-6);
  EXPECT_EQ(choose(request, hockney(), 1428).name, "combining");
  EXPECT_EQ(choose(request, hockney(), 1429).name, "direct");
  EXPECT_EQ(choose(request, hockney(), 1428, 0.1).name, "direct") << "the gain is less than 10 %";
}

TEST(NeighborhoodChoice, CombiningAnAllgatherSendsNoMoreBlocks) {
  Neighborhood const all = full_stencil({5, 5, 5}, 7);
  Request const request{.collective = Collective::neighbor_allgather, .neighborhood = all};
  Line const combining = line_of("combining", request, hockney());
  EXPECT_DOUBLE_EQ(combining.per_byte, 26 * beta);
  EXPECT_EQ(
      faster_bytes(combining, line_of("direct", request, hockney())).to,
      std::numeric_limits<double>::infinity()
  );
}

TEST(NeighborhoodChoice, CountsOnlyNeighboursThatThereCanBe) {
  Neighborhood const all = full_stencil({9, 1}, 0);
  Request const request{.neighborhood = all};
  EXPECT_DOUBLE_EQ(line_of("direct", request, hockney()).fixed, 2 * alpha);
  EXPECT_DOUBLE_EQ(line_of("combining", request, hockney()).fixed, 2 * alpha);
}

TEST(NeighborhoodChoice, OverlapsWhatIsLatencyOnly) {
  machine::Link const link{
      .latency = 1e-6, .overhead_send = 2e-7, .overhead_receive = 3e-7, .gap = 1e-7
  };
  Neighborhood const all = full_stencil({4, 4}, 3);
  Request const request{.neighborhood = all};
  // A message is 1.5 us on its way and occupies a rank for 0.4 us.
  EXPECT_NEAR(line_of("direct", request, {link, link}).fixed, 8 * 4e-7 + 1.1e-6, 1e-15);
  EXPECT_NEAR(line_of("combining", request, {link, link}).fixed, 4 * 4e-7 + 2 * 1.1e-6, 1e-15);
}

TEST(NeighborhoodChoice, CountsTheMessagesOfNodes) {
  Neighborhood const all = full_stencil({4, 4}, 3);
  std::vector<int> nodes;  // a row of the grid each
  for (int rank = 0; rank < 16; ++rank) {
    nodes.push_back(rank / 4);
  }
  Request const request{.neighborhood = all, .node_of_rank = nodes};
  // Each rank has 2 neighbours in its row and 3 in each of the rows beside it.
  EXPECT_EQ(
      loads(find("neighbor_alltoall/direct"), request),
      (std::vector<RoundLoad>{{.across = {6, 6}, .inside = {2, 2}, .node_blocks = 24}})
  );
  // 12 blocks to the row above are collected from 3 ranks and sent in one message; the rank that
  // receives such a message hands 9 of them out.
  std::vector<RoundLoad> const found = loads(find("neighbor_alltoall/node_aware"), request);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1], (RoundLoad{.across = {1, 12}, .inside = {0, 0}, .node_blocks = 24}));
  EXPECT_EQ(found[2], (RoundLoad{.across = {0, 0}, .inside = {3, 9}, .node_blocks = 0}));
}

TEST(NeighborhoodChoice, TakesNodesWhereMessagesBetweenThemAreDear) {
  Neighborhood const all = test::random_graph(64, 640, 1);
  std::vector<int> nodes;
  for (int rank = 0; rank < 64; ++rank) {
    nodes.push_back(rank / 16);
  }
  Links links{
      .across = {.overhead_send = 1e-5, .per_byte = beta, .channels = 1},
      .inside = {.overhead_send = 1e-7, .per_byte = beta / 10},
  };
  Request const request{
      .collective = Collective::neighbor_allgather, .neighborhood = all, .node_of_rank = nodes
  };
  EXPECT_EQ(choose(request, links, 8).name, "node_aware");
  links.inside.overhead_send = 1e-4;
  EXPECT_EQ(choose(request, links, 8).name, "direct");
}

TEST(NeighborhoodChoice, NeedsNoMoreThanItIsGiven) {
  Neighborhood const one = Neighborhood::of_one_rank(3, 1, {{.peer = 0, .index = 0}}, {});
  EXPECT_EQ(choose({.neighborhood = one}, hockney(), 8).name, "direct");
  Neighborhood const all = full_stencil({5, 5}, 3);
  EXPECT_EQ(
      choose({.neighborhood = all, .sizes = BlockSizes::by_edge}, hockney(), 8).name, "direct"
  ) << "nobody knows the sizes of what it forwards";
  EXPECT_EQ(
      choose({.neighborhood = all, .sizes = BlockSizes::by_offset}, hockney(), 8).name, "combining"
  );
  EXPECT_THROW(static_cast<void>(choose({.neighborhood = all}, hockney(), -1)), Error);
  EXPECT_THROW(static_cast<void>(line_of("node_aware", {.neighborhood = all}, hockney())), Error);
}

TEST(NeighborhoodChoice, ComparesLines) {
  EXPECT_TRUE(faster_bytes({2, 1}, {1, 1}).is_empty());
  EXPECT_TRUE(faster_bytes({2, 2}, {1, 1}).is_empty());
  EXPECT_EQ(faster_bytes({2, 1}, {1, 2}).from, 1);
  EXPECT_EQ(faster_bytes({0, 1}, {1, 2}).from, 0);
  EXPECT_EQ(faster_bytes({1, 3}, {2, 1}).to, 0.5);
}

}  // namespace
}  // namespace espalier::neighborhood
