// SPDX-License-Identifier: Apache-2.0

/// @file
/// Rounds, messages and blocks as the heads of the algorithms give them.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "tests/support/neighborhoods.hpp"

namespace espalier::neighborhood {
namespace {

Facts facts_of(std::string const& name, Neighborhood const& all, std::vector<int> const& nodes) {
  Algorithm const& algorithm = find(name);
  return algorithm.facts(
      {.collective = algorithm.collective, .neighborhood = all, .node_of_rank = nodes}
  );
}

int power(int base, int exponent) {
  int result = 1;
  for (int i = 0; i < exponent; ++i) {
    result *= base;
  }
  return result;
}

TEST(NeighborhoodFacts, OfCombiningAreTheClosedFormOfFullStencils) {
  for (int d = 1; d <= 4; ++d) {
    std::vector<int> const extents(static_cast<std::size_t>(d), 3);
    Neighborhood const all =
        Neighborhood::of_stencil(test::grid_of(extents, 15), test::offsets_of("full", d));
    Facts const alltoall = facts_of("neighbor_alltoall/combining", all, {});
    EXPECT_EQ(alltoall.rounds, d);
    EXPECT_EQ(alltoall.messages, 2 * d);
    EXPECT_EQ(alltoall.volume, 2 * d * power(3, d - 1));
    Facts const allgather = facts_of("neighbor_allgather/combining", all, {});
    EXPECT_EQ(allgather.messages, 2 * d);
    EXPECT_EQ(allgather.volume, power(3, d) - 1);
    EXPECT_EQ(facts_of("neighbor_alltoall/direct", all, {}).messages, power(3, d) - 1);
  }
}

TEST(NeighborhoodFacts, OfNeighboursAtDistanceTwoAreThoseOfTheDocumentation) {
  struct Row {
    int num_dimensions;
    int direct;
    int messages;
    int blocks;
  };

  for (Row const& row : {Row{2, 24, 8, 40}, Row{3, 124, 12, 300}}) {
    test::Offsets offsets = test::cube(row.num_dimensions, 2);
    std::erase(offsets, std::vector<int>(static_cast<std::size_t>(row.num_dimensions), 0));
    std::vector<int> const extents(static_cast<std::size_t>(row.num_dimensions), 5);
    Neighborhood const all = Neighborhood::of_stencil(test::grid_of(extents, 7), offsets);
    EXPECT_EQ(facts_of("neighbor_alltoall/direct", all, {}).messages, row.direct);
    Facts const alltoall = facts_of("neighbor_alltoall/combining", all, {});
    EXPECT_EQ(alltoall.messages, row.messages);
    EXPECT_EQ(alltoall.volume, row.blocks);
    EXPECT_EQ(facts_of("neighbor_allgather/combining", all, {}).volume, row.direct);
  }
}

TEST(NeighborhoodFacts, OfSmallRingsCountTheRanksThatThereAre) {
  Neighborhood const all =
      Neighborhood::of_stencil(test::grid_of({2, 1}, 3), test::offsets_of("full", 2));
  Facts const facts = facts_of("neighbor_alltoall/combining", all, {});
  EXPECT_EQ(facts.rounds, 1) << "nothing moves in a ring of one";
  EXPECT_EQ(facts.messages, 1) << "-1 and +1 are one hop in a ring of two";
  EXPECT_EQ(facts.blocks, 6);
}

TEST(NeighborhoodFacts, OfOpenGridsAreThoseOfTheBusiestRank) {
  Neighborhood const all =
      Neighborhood::of_stencil(test::grid_of({2, 2}, 0), test::offsets_of("full", 2));
  Facts const facts = facts_of("neighbor_alltoall/combining", all, {});
  EXPECT_EQ(facts.messages, 2);
  EXPECT_EQ(facts.blocks, 4) << "two own blocks in each round, of which one only passes through";
  EXPECT_EQ(facts_of("neighbor_alltoall/direct", all, {}).messages, 3);
}

TEST(NeighborhoodFacts, LongOffsetsAreOneHopInEachDimension) {
  Neighborhood const all = Neighborhood::of_stencil(
      test::grid_of({9, 9}, 3), test::Offsets{{2, 0}, {2, 5}, {-1, 5}, {0, 1}}
  );
  Facts const facts = facts_of("neighbor_alltoall/combining", all, {});
  EXPECT_EQ(facts.messages, 4) << "distances 2 and -1, then 5 and 1";
  EXPECT_EQ(facts.volume, 6);
}

TEST(NeighborhoodFacts, AllgatherBeginsWhereOffsetsDifferLeast) {
  // Along the first dimension blocks go four ways, along the second one.
  Neighborhood const all = Neighborhood::of_stencil(
      test::grid_of({9, 9}, 3), test::Offsets{{1, 1}, {2, 1}, {3, 1}, {4, 1}}
  );
  EXPECT_EQ(facts_of("neighbor_allgather/combining", all, {}).volume, 5);
  EXPECT_EQ(facts_of("neighbor_alltoall/combining", all, {}).volume, 8);
}

TEST(NeighborhoodFacts, NodesSendEachOtherOneMessage) {
  // Four nodes of four ranks; every rank talks to all others.
  std::vector<std::vector<int>> everybody;
  std::vector<int> nodes;
  for (int rank = 0; rank < 16; ++rank) {
    everybody.emplace_back();
    nodes.push_back(rank % 4);
    for (int other = 0; other < 16; ++other) {
      if (other != rank) {
        everybody.back().push_back(other);
      }
    }
  }
  Neighborhood const all = Neighborhood::of_lists(everybody, everybody);
  for (Algorithm const* algorithm : catalog()) {
    if (algorithm->name != "node_aware") {
      continue;
    }
    Request const request{
        .collective = algorithm->collective, .neighborhood = all, .node_of_rank = nodes
    };
    int num_messages = 0;
    std::int64_t num_blocks = 0;
    for (int rank = 0; rank < 16; ++rank) {
      schedule::RankProgram const program = generate(*algorithm, request, rank);
      for (schedule::Operation const& operation : program.operations) {
        bool const is_across =
            operation.kind == schedule::Kind::send && operation.peer % 4 != rank % 4;
        num_messages += is_across ? 1 : 0;
        num_blocks += is_across ? schedule::num_blocks(program.slots(operation)) : 0;
      }
    }
    bool const is_alltoall = algorithm->collective == Collective::neighbor_alltoall;
    EXPECT_EQ(num_messages, 12);
    EXPECT_EQ(num_blocks, 12 * (is_alltoall ? 16 : 4)) << "allgather sends a block once to a node";
    EXPECT_EQ(algorithm->facts(request).rounds, 3);
  }
}

TEST(NeighborhoodFacts, AreOfOneRoundWhereNodesHaveOneRank) {
  Neighborhood const all = Neighborhood::of_cartesian(test::grid_of({4}, 1));
  Facts const facts = facts_of("neighbor_alltoall/node_aware", all, {0, 1, 2, 3});
  EXPECT_EQ(facts.rounds, 1);
  EXPECT_EQ(facts.messages, 2);
  EXPECT_EQ(facts.scratch, 0);
}

TEST(NeighborhoodCatalogNames, AreFoundAndRefuse) {
  EXPECT_EQ(
      full_name(find(Collective::neighbor_allgather, "combining")), "neighbor_allgather/combining"
  );
  EXPECT_THROW(static_cast<void>(find("neighbor_alltoall/ring")), Error);
  Neighborhood const graph = test::random_graph(4, 8, 1);
  Request const request{.neighborhood = graph};
  EXPECT_NE(refuses(find("neighbor_alltoall/combining"), request), "");
  EXPECT_NE(refuses(find("neighbor_alltoall/node_aware"), request), "");
  EXPECT_NE(refuses(find("neighbor_allgather/direct"), request), "") << "another collective";
  EXPECT_EQ(refuses(find("neighbor_alltoall/direct"), request), "");
  EXPECT_NE(
      refuses(
          find("neighbor_alltoall/direct"), {.neighborhood = graph, .sizes = BlockSizes::by_offset}
      ),
      ""
  );
  std::vector<int> const nodes(3, 0);
  EXPECT_NE(
      refuses(find("neighbor_alltoall/node_aware"), {.neighborhood = graph, .node_of_rank = nodes}),
      ""
  );
  EXPECT_THROW(static_cast<void>(generate(find("neighbor_alltoall/combining"), request, 0)), Error);
}

}  // namespace
}  // namespace espalier::neighborhood
