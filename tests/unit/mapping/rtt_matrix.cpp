// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/rtt_matrix.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/tree/placement.hpp"
#include "espalier/mapping/orders/tree_orders.hpp"
#include "tests/unit/mapping/support.hpp"

namespace espalier::mapping {
namespace {

using machine::Machine;
using machine::place;

std::string complaint(int num_ranks, std::vector<double> times) {
  try {
    static_cast<void>(RttMatrix(num_ranks, std::move(times)));
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

TEST(RttMatrix, KeepsDirections) {
  RttMatrix const matrix(2, {0, 3, 4, 0});
  EXPECT_EQ(matrix(0, 1), 3);
  EXPECT_EQ(matrix(1, 0), 4);
}

TEST(RttMatrix, RefusesWhatWasNotMeasured) {
  double const hole = std::numeric_limits<double>::quiet_NaN();
  double const never = std::numeric_limits<double>::infinity();
  EXPECT_EQ(complaint(2, {hole, 1, 1, hole}), "");
  for (double const bad : {hole, never, 0.0, -1.0}) {
    EXPECT_NE(complaint(2, {0, 1, bad, 0}).find("from rank 1 to rank 0"), std::string::npos) << bad;
  }
  EXPECT_NE(complaint(2, {0, 1, 1}), "");
  EXPECT_NE(complaint(0, {}), "");
  EXPECT_NE(complaint(-1, {1}), "");
  EXPECT_EQ(complaint(1, {0}), "");
}

TEST(RttMatrix, OfAMachineCountsLevelsWhereLinksSayNothing) {
  Machine const machine = Machine::parse("node:2 package:2 core:2");
  RttMatrix const matrix = RttMatrix::of_machine(machine, place(machine, "block", 8), 1024);
  EXPECT_EQ(matrix(0, 1), 1);
  EXPECT_EQ(matrix(0, 2), 2);
  EXPECT_EQ(matrix(0, 7), 3);
  EXPECT_EQ(matrix(7, 0), 3);
}

TEST(RttMatrix, OfAMachineIsTwiceWhatItsLinksTake) {
  Machine machine = Machine::parse("node:2 core:2");
  machine.set_link(0, {.latency = 3, .overhead_send = 1, .overhead_receive = 1, .per_byte = 0.5});
  machine.set_link(1, {.latency = 1, .per_byte = 0.25});
  RttMatrix const matrix = RttMatrix::of_machine(machine, place(machine, "cyclic", 4), 8);
  EXPECT_EQ(matrix(0, 1), 2 * (5 + 4));
  EXPECT_EQ(matrix(0, 2), 2 * (1 + 2));
}

TEST(RttMatrix, OfAMachineTakesRanksOnOneCoreForNeighbours) {
  Machine const machine = Machine::parse("node:2 core:2");
  RttMatrix const matrix = RttMatrix::of_machine(machine, std::vector{0, 0, 3}, 8);
  EXPECT_EQ(matrix(0, 1), 1);
  EXPECT_EQ(matrix(0, 2), 2);
}

TEST(RttMatrix, OfAMachineRefusesOneOfWhichOnlyPartIsKnown) {
  Machine machine = Machine::parse("node:2 core:2");
  machine.set_link(0, {.latency = 3});
  EXPECT_THROW(
      static_cast<void>(RttMatrix::of_machine(machine, place(machine, "block", 4), 8)), Error
  );
  // Two ranks on different nodes never take the links that say nothing.
  EXPECT_EQ(RttMatrix::of_machine(machine, std::vector{0, 2}, 8)(0, 1), 6);
}

TEST(GroupsOf, AreWhereRanksFirstDiffer) {
  Machine const machine = Machine::parse("node:2 package:2 core:2");
  EXPECT_EQ(groups_of(machine, std::vector{7, 0, 5, 3}), (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(groups_of(machine, std::vector{0, 1, 2, 3}), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(groups_of(machine, std::vector{6, 7, 6}), (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(groups_of(machine, std::vector{0, 4}), (std::vector<int>{0, 0}));
  EXPECT_EQ(groups_of(machine, std::vector{6, 6}), (std::vector<int>{0, 0}));
}

/// Orders from a tree are those from the matrix of two levels.
TEST(RttMatrix, OfAMachineGivesThePublishedOrders) {
  Machine const machine = Machine::parse("package:2 core:4");
  std::vector<int> const core_of{0, 4, 1, 2, 5, 3, 6, 7};
  RttMatrix const matrix = RttMatrix::of_machine(machine, core_of, 16384);
  EXPECT_EQ(groups_of(machine, core_of), ra_groups());
  EXPECT_EQ(fastest_edge_first(matrix, 0), (RankVector{0, 1, 3, 4, 2, 6, 5, 7}));
  EXPECT_EQ(channel_aware_as_published(matrix, 2, 0), (RankVector{0, 3, 1, 6, 2, 5, 4, 7}));
}

}  // namespace
}  // namespace espalier::mapping
