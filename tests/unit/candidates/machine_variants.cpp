// SPDX-License-Identifier: Apache-2.0

#include "espalier/candidates/machine_variants.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/candidates/rank_groups.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace espalier::candidates {
namespace {

using Texts = std::vector<std::string>;

/// Ranks on the cores of a machine.
struct Placed {
  machine::Machine machine;
  std::vector<int> core_of;
};

Placed placed(std::string const& text, std::string const& placement, int num_ranks) {
  machine::Machine machine = machine::read(text);
  std::vector<int> cores = machine::place(machine, placement, num_ranks);
  return {.machine = std::move(machine), .core_of = std::move(cores)};
}

RankGroups groups_of(Placed const& ranks) {
  return rank_groups(ranks.machine, ranks.core_of);
}

TEST(RankGroups, AreNodesThenPackagesThenBoth) {
  RankGroups const block = groups_of(placed("4n x 2s x 3c", "block", 24));
  EXPECT_EQ(block.groups, (Texts{"rows=4", "rows=8", "rows=4x2"}));
  EXPECT_EQ(block.order, "");
  RankGroups const cyclic = groups_of(placed("4n x 2s x 3c", "cyclic", 24));
  EXPECT_EQ(cyclic.groups, block.groups);
  EXPECT_EQ(cyclic.order, "dealt=4");
}

TEST(RankGroups, NameSizesThatDiffer) {
  EXPECT_EQ(groups_of(placed("4n x 4c", "block", 10)).groups, (Texts{"sizes=4x4x2"}));
  RankGroups const few = groups_of(placed("4n x 4c", "cyclic", 10));
  EXPECT_EQ(few.groups, (Texts{"sizes=3x3x2x2"}));
  EXPECT_EQ(few.order, "dealt=4");
  RankGroups const uneven = groups_of(placed("2n x 4c + 1n x 2c", "cyclic", 10));
  EXPECT_EQ(uneven.groups, (Texts{"sizes=4x4x2"}));
  EXPECT_EQ(uneven.order, "dealt=4x4x2");
}

TEST(RankGroups, AreNoneWhereRanksLieAnyhow) {
  RankGroups const folded = groups_of(placed("3n x 2c", "folded", 6));
  EXPECT_TRUE(folded.groups.empty());
  EXPECT_EQ(folded.order, "");
  EXPECT_TRUE(groups_of(placed("8n x 1c", "block", 8)).groups.empty()) << "ranks are alone";
  EXPECT_TRUE(groups_of(placed("1n x 8c", "block", 8)).groups.empty()) << "all are together";
}

Texts texts(schedule::Collective collective, Placed const& ranks) {
  Texts result;
  for (algorithms::Choice const& choice :
       machine_variants(collective, ranks.machine, ranks.core_of)) {
    result.push_back(choice.text());
  }
  return result;
}

bool contains(Texts const& all, std::string const& text) {
  return std::ranges::find(all, text) != all.end();
}

TEST(MachineVariants, BeginWithThoseOfAnyMachine) {
  Placed const ranks = placed("4n x 4c", "cyclic", 16);
  for (auto const collective :
       {schedule::Collective::bcast, schedule::Collective::alltoall, schedule::Collective::scan}) {
    Texts const found = texts(collective, ranks);
    std::size_t i = 0;
    for (algorithms::Choice const& choice : algorithms::variants(collective, 16)) {
      ASSERT_LT(i, found.size());
      EXPECT_EQ(found[i++], choice.text());
    }
  }
}

TEST(MachineVariants, HaveGroupsOrdersAndPipelines) {
  Texts const block = texts(schedule::Collective::bcast, placed("4n x 4c", "block", 16));
  EXPECT_TRUE(contains(block, "bcast/orthogonal[rows=4,inner=flat,across=chain]"));
  EXPECT_TRUE(
      contains(block, "bcast/orthogonal[rows=4,inner=chain,across=chain,segments=32,burst=1]")
  );
  EXPECT_TRUE(contains(block, "bcast/two_tree[pieces=64]"));
  Texts const cyclic = texts(schedule::Collective::bcast, placed("4n x 4c", "cyclic", 16));
  EXPECT_TRUE(contains(cyclic, "bcast/orthogonal[rows=4,inner=flat,across=chain,dealt=4]"));
  EXPECT_FALSE(contains(cyclic, "bcast/orthogonal[rows=4,inner=flat,across=chain]"));
}

TEST(MachineVariants, ReduceInPartsOfLargeGroups) {
  Texts const found = texts(schedule::Collective::reduce, placed("4n x 8c", "block", 32));
  EXPECT_TRUE(contains(
      found, "reduce/multi_lane[rows=4,split=recursive_dividing[k=8],lane=binomial,join=flat]"
  ));
  EXPECT_TRUE(
      contains(found, "reduce/multi_lane[rows=1,split=recursive_dividing,join=k_nomial[k=4]]")
  );
}

TEST(MachineVariants, CombineFewTreesOfAHierarchicalAllreduce) {
  Texts const found = texts(schedule::Collective::allreduce, placed("4n x 4c", "block", 16));
  std::string const front = "allreduce/hierarchical[rows=4,up=";
  EXPECT_TRUE(contains(found, front + "k_nomial[k=4],across=ring,down=flat]"));
  EXPECT_FALSE(contains(found, front + "postal[latency=8],across=ring,down=flat]"));
  EXPECT_FALSE(contains(found, front + "binomial,across=ring,down=chain]"));
}

TEST(MachineVariants, SignalAlongTrees) {
  Texts const found = texts(schedule::Collective::barrier, placed("4n x 4c", "block", 16));
  std::string const front = "barrier/hierarchical[rows=4,across=dissemination[k=2],down=";
  EXPECT_TRUE(contains(found, front + "binomial]"));
  EXPECT_FALSE(contains(found, front + "scatter_allgather]"));
}

TEST(MachineVariants, AreAllDifferentAndAccepted) {
  Placed const ranks = placed("2n x 4c + 1n x 2c", "cyclic", 10);
  for (auto const collective : {schedule::Collective::allgather, schedule::Collective::gather}) {
    Texts found = texts(collective, ranks);
    for (std::string const& text : found) {
      EXPECT_EQ(algorithms::Choice::parse(text).refuses(10, 0), "") << text;
    }
    std::ranges::sort(found);
    EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
  }
}

Texts node_texts(schedule::Collective collective, std::vector<int> const& node_of_rank) {
  Texts result;
  for (algorithms::Choice const& choice : node_variants(collective, node_of_rank)) {
    result.push_back(choice.text());
  }
  return result;
}

std::vector<int> const in_blocks{0, 0, 2, 2, 4, 4, 6, 6};
std::vector<int> const in_turns{0, 1, 2, 3, 0, 1, 2, 3};

TEST(NodeVariants, TakePhasesAbreast) {
  Texts const found = node_texts(schedule::Collective::bcast, in_blocks);
  EXPECT_TRUE(contains(found, "bcast/orthogonal[rows=4,inner=chain,across=chain]"));
  EXPECT_FALSE(contains(found, "bcast/orthogonal[rows=4,inner=flat,across=chain]"));
  // The lists of splits and joins are shorter than that of lanes.
  EXPECT_TRUE(contains(found, "bcast/multi_lane[rows=4,split=binomial,lane=chain,join=bruck]"));
  Texts const uneven = node_texts(schedule::Collective::bcast, {0, 0, 0, 3, 3, 3, 3, 7});
  EXPECT_TRUE(contains(uneven, "bcast/orthogonal[sizes=3x4x1,inner=flat,across=flat]"));
}

TEST(NodeVariants, HaveTheOrderOfNodesWhereRanksWereDealt) {
  Texts const found = node_texts(schedule::Collective::bcast, in_turns);
  EXPECT_TRUE(contains(found, "bcast/chain[dealt=4]"));
  EXPECT_FALSE(contains(found, "bcast/chain[segments=4,dealt=4]")) << "one of each algorithm";
  EXPECT_TRUE(contains(found, "bcast/orthogonal[rows=4,inner=flat,across=flat,dealt=4]"));
  EXPECT_FALSE(contains(found, "bcast/orthogonal[rows=4,inner=flat,across=flat]"));
  auto const scans = algorithms::variants(schedule::Collective::scan, 8);
  EXPECT_EQ(node_texts(schedule::Collective::scan, in_turns).size(), scans.size());
}

TEST(NodeVariants, AreFewOfThoseOfAMachine) {
  for (auto const& [nodes, placement] :
       {std::pair(in_blocks, "block"), std::pair(in_turns, "cyclic")}) {
    for (auto const collective :
         {schedule::Collective::bcast, schedule::Collective::reduce, schedule::Collective::alltoall
         }) {
      Texts const all = texts(collective, placed("4n x 2c", placement, 8));
      Texts const few = node_texts(collective, nodes);
      std::size_t const num_plain = algorithms::variants(collective, 8).size();
      EXPECT_GT(few.size(), num_plain);
      EXPECT_LE(few.size(), num_plain + 30);
      for (std::string const& text : few) {
        EXPECT_TRUE(contains(all, text)) << text;
      }
    }
  }
}

TEST(NodeVariants, AreThoseOfAnyMachineWhereNodesSayNothing) {
  for (std::vector<int> const& nodes :
       {std::vector{0, 0, 0, 0}, std::vector{0, 1, 2, 3}, std::vector{0, 1, 1, 0}}) {
    Texts const found = node_texts(schedule::Collective::allgather, nodes);
    auto const plain = algorithms::variants(schedule::Collective::allgather, 4);
    EXPECT_EQ(found.size(), plain.size());
  }
}

}  // namespace
}  // namespace espalier::candidates
