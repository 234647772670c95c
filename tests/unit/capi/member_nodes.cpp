// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/choices/member_nodes.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/capi/onesided/choices/every_choice.hpp"

namespace espalier::capi {
namespace {

using algorithms::Choice;
using Nodes = std::vector<int>;

TEST(MemberNodes, AreCountedAsTheyFirstOccur) {
  Nodes const of_conduit{0, 0, 2, 2, 4, 4};
  EXPECT_EQ(member_nodes(of_conduit, {4, 5, 0, 1}), (Nodes{0, 0, 1, 1}));
  EXPECT_EQ(member_nodes(of_conduit, {2, 0, 3}), (Nodes{0, 1, 0}));
}

TEST(MemberNodes, AreNoneWhereNoGroupsFollow) {
  Nodes const of_conduit{0, 0, 2, 2, 4, 4};
  EXPECT_EQ(member_nodes(of_conduit, {2, 3}), Nodes());
  EXPECT_EQ(member_nodes(of_conduit, {4, 0, 2}), Nodes());
  EXPECT_EQ(member_nodes(of_conduit, {1}), Nodes());
}

TEST(MemberNodes, LieInSomeWay) {
  EXPECT_EQ(placement_of({}), "");
  EXPECT_EQ(placement_of({0, 0, 1, 1, 2, 2}), "");
  EXPECT_EQ(placement_of({0, 1, 2, 0, 1, 2}), "in turn");
  EXPECT_EQ(placement_of({0, 0, 1}), "0 0 1");
  EXPECT_EQ(placement_of({0, 1, 1, 0}), "0 1 1 0");
}

TEST(Hops, AreCountedByKind) {
  Nodes const blocks{0, 0, 0, 1, 1, 1};
  Nodes const dealt{0, 1, 0, 1, 0, 1};
  auto const chain = Choice::parse("bcast/chain");
  auto const node_by_node = Choice::parse("bcast/chain[dealt=2]");
  EXPECT_EQ(hops_of(chain, blocks), (Hops{.within = 4, .between = 1}));
  EXPECT_EQ(hops_of(node_by_node, blocks), (Hops{.within = 2, .between = 3}));
  EXPECT_EQ(hops_of(chain, dealt), (Hops{.within = 0, .between = 5}));
  EXPECT_EQ(hops_of(node_by_node, dealt), (Hops{.within = 4, .between = 1}));
  EXPECT_EQ(hops_of(Choice::parse("bcast/flat"), blocks), (Hops{.within = 2, .between = 3}));
}

TEST(HopTimes, AreToldApartByTwoChains) {
  HopTimes const times = hop_times(
      {.hops = {.within = 4, .between = 1}, .time = 4 * 2 + 30},
      {.hops = {.within = 2, .between = 3}, .time = 2 * 2 + 3 * 30}
  );
  EXPECT_DOUBLE_EQ(times.within, 2);
  EXPECT_DOUBLE_EQ(times.between, 30);
}

/// A chain with more messages between nodes that took less time.
TEST(HopTimes, AreLikelyWhateverDisturbedThem) {
  HopTimes const times = hop_times(
      {.hops = {.within = 0, .between = 5}, .time = 10},
      {.hops = {.within = 4, .between = 1}, .time = 100}
  );
  EXPECT_GT(times.within, 0);
  EXPECT_GE(times.between, times.within);
  HopTimes const other = hop_times(
      {.hops = {.within = 0, .between = 5}, .time = 100},
      {.hops = {.within = 4, .between = 1}, .time = 10}
  );
  EXPECT_DOUBLE_EQ(other.within, 1);
  EXPECT_DOUBLE_EQ(other.between, 20);
}

TEST(EveryChoice, HasGroupsThatAreTheNodes) {
  SafeRequest const request{
      .collective = schedule::Collective::allreduce, .num_ranks = 6, .block_bytes = 8
  };
  auto const has = [&](Nodes const& nodes, std::string_view part) {
    for (SafeChoice const& one : every_choice(request, {}, nodes)) {
      if (one.choice.text().find(part) != std::string::npos) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(has({0, 0, 0, 0, 1, 1}, "hierarchical[sizes=4x2"));
  EXPECT_TRUE(has({0, 1, 0, 1, 0, 1}, "dealt=2"));
  EXPECT_FALSE(has({}, "hierarchical[sizes=4x2"));
}

}  // namespace
}  // namespace espalier::capi
