// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/error.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

TEST(RankOrder, PutsRanksOfANodeNextToEachOther) {
  std::vector<int> const cyclic{5, 2, 5, 2, 5};
  RankOrder const order = RankOrder::by_node(cyclic);
  std::vector<int> ranks;
  for (int position = 0; position < order.num_ranks(); ++position) {
    ranks.push_back(order.rank_at(position));
    EXPECT_EQ(order.position_of(ranks.back()), position);
  }
  EXPECT_EQ(ranks, (std::vector{0, 2, 4, 1, 3}));
}

TEST(RankOrder, RefusesWhatIsNoPermutation) {
  EXPECT_THROW(RankOrder({}), Error);
  EXPECT_THROW(RankOrder({0, 0}), Error);
  EXPECT_THROW(RankOrder({0, 2}), Error);
  EXPECT_THROW(RankOrder({-1, 0}), Error);
}

/// Blocks that leave their node, over all messages.
std::int64_t blocks_between_nodes(
    Choice const& choice, std::vector<int> const& node_of_rank, RankOrder const& order
) {
  std::int64_t total = 0;
  for (int rank = 0; rank < order.num_ranks(); ++rank) {
    schedule::RankProgram const program = choice.generate(order, 0, rank);
    for (schedule::Operation const& operation : program.operations) {
      bool const leaves = operation.kind == schedule::Kind::send &&
                          node_of_rank[static_cast<std::size_t>(operation.peer)] !=
                              node_of_rank[static_cast<std::size_t>(rank)];
      total += leaves ? schedule::num_blocks(program.slots(operation)) : 0;
    }
  }
  return total;
}

/// The last round of sparbit is among neighbours and carries half of all data.
TEST(RankOrder, LetsSparbitSeeASequentialOrderUnderCyclicPlacement) {
  constexpr int num_nodes = 4;
  constexpr int num_ranks = 16;
  std::vector<int> sequential;
  std::vector<int> cyclic;
  std::vector<int> identity;
  for (int rank = 0; rank < num_ranks; ++rank) {
    sequential.push_back(rank / num_nodes);
    cyclic.push_back(rank % num_nodes);
    identity.push_back(rank);
  }
  Choice const sparbit = Choice::parse("allgather/sparbit");
  RankOrder const as_is(identity);
  auto const best = blocks_between_nodes(sparbit, sequential, as_is);
  EXPECT_EQ(blocks_between_nodes(sparbit, cyclic, RankOrder::by_node(cyclic)), best);
  EXPECT_GT(blocks_between_nodes(sparbit, cyclic, as_is), best);
}

TEST(RankOrder, RefusesScans) {
  schedule::Builder builder(output_frame(2, 1), 0);
  auto const same = [](int rank) { return rank; };
  EXPECT_THROW(
      static_cast<void>(schedule::permute(std::move(builder).finish(), Collective::scan, same)),
      Error
  );
}

std::vector<int> ranks_of(RankOrder const& order) {
  std::vector<int> ranks;
  for (int position = 0; position < order.num_ranks(); ++position) {
    ranks.push_back(order.rank_at(position));
  }
  return ranks;
}

TEST(DealtNodes, AreTakenInTurnPassingOverFullOnes) {
  EXPECT_EQ(dealt_nodes(7, std::vector{3}), (std::vector{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(dealt_nodes(6, std::vector{1, 3, 2}), (std::vector{0, 1, 2, 1, 2, 1}));
  EXPECT_EQ(dealt_nodes(2, std::vector{5}), (std::vector{0, 1}));
  EXPECT_THROW((void)dealt_nodes(7, std::vector{3, 3}), Error);
  RankOrder const order = RankOrder::by_dealt_node(6, std::vector{1, 3, 2});
  EXPECT_EQ(ranks_of(order), (std::vector{0, 1, 3, 5, 2, 4}));
}

TEST(DealtChoice, IsTheProgramInTheOrderOfNodes) {
  Choice const dealt = Choice::parse("gather/binomial[dealt=3]");
  Choice const plain = Choice::parse("gather/binomial");
  RankOrder const order = RankOrder::by_dealt_node(8, std::vector{3});
  EXPECT_TRUE(dealt.is_dealt());
  EXPECT_FALSE(plain.is_dealt());
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(dealt.generate(8, 4, rank), plain.generate(order, 4, rank)) << rank;
    EXPECT_EQ(dealt.facts(8, rank), plain.facts(8, order.position_of(rank))) << rank;
  }
}

TEST(DealtChoice, RefusesNodesThatAreTooSmall) {
  EXPECT_EQ(Choice::parse("bcast/chain[dealt=2x2]").refuses(4, 0), "");
  EXPECT_EQ(
      Choice::parse("bcast/chain[dealt=2x2]").refuses(5, 0),
      "dealt must be nodes that take 5 ranks, got 4"
  );
  EXPECT_THROW((void)Choice::parse("scan/linear[dealt=2]"), Error);
  EXPECT_EQ(Choice::parse("reduce/flat[dealt=2]").order(4, 0), OperandOrder::any);
}

}  // namespace
}  // namespace espalier::algorithms
