// SPDX-License-Identifier: Apache-2.0

/// @file
/// Where learning tries memory that the ranks of a node share.

#include "espalier/learn/memory_trials.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/machine/sources/interconnect.hpp"

namespace espalier::learn {
namespace {

using algorithms::Choice;
using machine::InterconnectKind;
using Names = std::vector<std::string>;
using Numbers = std::vector<int>;

Proposal proposed(std::string const& text, double within_nodes = 0) {
  return {.choice = Choice::parse(text), .seconds = 1, .within_nodes = within_nodes};
}

Names tried(
    std::vector<Proposal> const& proposals, Numbers const& node_of_rank, bool only = false
) {
  Names texts;
  for (Proposal const& proposal : with_shared_memory(proposals, node_of_rank, only)) {
    texts.push_back(proposal.choice.text());
  }
  return texts;
}

/// Nodes of eight ranks.
Place place(InterconnectKind kind, int num_nodes) {
  constexpr int per_node = 8;
  Place result{
      .between_nodes = machine::stock_link({kind, "device", 0}),
      .within_node = machine::stock_link_within_node(per_node, per_node),
  };
  for (int rank = 0; rank < num_nodes * per_node; ++rank) {
    result.node_of_rank.push_back(rank / per_node);
  }
  return result;
}

TEST(MemoryTrials, AreBesideTheBestTwoOnOneNode) {
  std::vector<Proposal> const list{
      proposed("bcast/chain"), proposed("bcast/binomial"), proposed("bcast/flat")
  };
  Numbers const one_node{3, 3, 3, 3};
  EXPECT_EQ(
      tried(list, one_node),
      (Names{
          "bcast/chain[shared_memory=1]",
          "bcast/chain",
          "bcast/binomial[shared_memory=1]",
          "bcast/binomial",
          "bcast/flat",
      })
  );
  EXPECT_EQ(with_shared_memory(list, one_node, false).at(2).seconds, 1) << "no model knows it";
  EXPECT_EQ(tried({list.front()}, one_node), Names{"bcast/chain"});
}

TEST(MemoryTrials, AreOfChoicesWithGroupsOnSeveralNodes) {
  std::vector<Proposal> const list{
      proposed("allreduce/hierarchical[rows=2]", 0.3), proposed("allreduce/ring", 0.3)
  };
  EXPECT_EQ(
      tried(list, {0, 0, 1, 1}),
      (Names{
          "allreduce/hierarchical[rows=2,shared_memory=1]",
          "allreduce/hierarchical[rows=2]",
          "allreduce/ring",
      })
  );
  EXPECT_EQ(tried(list, {0, 1, 2, 3}), (Names{"allreduce/hierarchical[rows=2]", "allreduce/ring"}))
      << "no two ranks share a node";
}

TEST(MemoryTrials, AreNotWorthItWhereTheNetworkTakesTheTime) {
  std::vector<Proposal> const list{
      proposed("allreduce/hierarchical[rows=2]", 0.05), proposed("allreduce/ring", 0)
  };
  EXPECT_EQ(tried(list, {0, 0, 1, 1}), (Names{"allreduce/hierarchical[rows=2]", "allreduce/ring"}));
}

TEST(MemoryTrials, AreAllThereIsWhereNoMessagesAreSentWithinNodes) {
  std::vector<Proposal> const list{proposed("bcast/chain"), proposed("bcast/flat")};
  Names const all{"bcast/chain[shared_memory=1]", "bcast/flat[shared_memory=1]"};
  EXPECT_EQ(tried(list, {3, 3}, true), all);
  EXPECT_EQ(tried(list, {3, 3, 4, 4}, true), all);
}

/// What one rank of a node does for the others is a third of the time on InfiniBand, and nothing on
/// Ethernet.
TEST(MemoryTrials, KnowWhatMessagesWithinNodesTake) {
  auto const best_for_a_few_bytes = [](Place const& where) {
    return shortlist(profile::Call::allreduce, 8, where, 3, std::chrono::seconds(60));
  };
  Place const infiniband = place(InterconnectKind::infiniband, 4);
  Place const ethernet = place(InterconnectKind::ethernet, 4);
  EXPECT_EQ(tried(best_for_a_few_bytes(infiniband), infiniband.node_of_rank).size(), 4);
  EXPECT_EQ(tried(best_for_a_few_bytes(ethernet), ethernet.node_of_rank).size(), 3);
}

TEST(MemoryTrials, NeedNoMemoryWhereNothingWillBeTried) {
  EXPECT_TRUE(may_gain_by_memory(place(InterconnectKind::infiniband, 4)));
  EXPECT_FALSE(may_gain_by_memory(place(InterconnectKind::ethernet, 4)));
  EXPECT_TRUE(may_gain_by_memory(place(InterconnectKind::ethernet, 1)));
  Place crowded = place(InterconnectKind::infiniband, 4);
  crowded.ranks_per_processor = 2;
  EXPECT_FALSE(may_gain_by_memory(crowded)) << "ranks wait for processors";
  Place alone = place(InterconnectKind::infiniband, 1);
  alone.node_of_rank = {5};
  EXPECT_FALSE(may_gain_by_memory(alone));
  alone.node_of_rank = {5, 6, 7};
  EXPECT_FALSE(may_gain_by_memory(alone));
}

}  // namespace
}  // namespace espalier::learn
