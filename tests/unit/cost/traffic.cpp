// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/traffic.hpp"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/machine/tree/machine.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;

Crossings
sum(std::string_view choice, int p, std::string_view machine_text, std::string_view placement) {
  auto const machine = machine::Machine::parse(machine_text);
  std::vector<int> const cores = machine::place(machine, placement, p);
  return total(traffic(Choice::parse(choice), p, 0, machine, cores), machine);
}

TEST(Traffic, OfARingLeavesEachNodeOnce) {
  // 7 rounds; 2 of 8 messages a round are between nodes, of one block.
  Crossings const expected{{.messages = 14, .blocks = 14}, {.messages = 56, .blocks = 56}};
  EXPECT_EQ(sum("allgather/ring", 8, "node:2 core:4", "block"), expected);
}

TEST(Traffic, OfARingDealtToNodesIsAllBetweenNodes) {
  Crossings const expected{{.messages = 56, .blocks = 56}, {.messages = 56, .blocks = 56}};
  EXPECT_EQ(sum("allgather/ring", 8, "node:2 core:4", "cyclic"), expected);
}

TEST(Traffic, IsCountedAtEachLevel) {
  Crossings const expected{
      {.messages = 1, .blocks = 1}, {.messages = 3, .blocks = 3}, {.messages = 7, .blocks = 7}
  };
  EXPECT_EQ(sum("bcast/binomial", 8, "node:2 socket:2 core:2", "block"), expected);
}

TEST(Traffic, IsCountedByRound) {
  auto const machine = machine::Machine::parse("node:2 core:4");
  std::vector<int> const cores = machine::place(machine, "block", 8);
  std::vector<Crossings> const rounds =
      traffic(Choice::parse("allgather/bruck"), 8, 0, machine, cores);
  ASSERT_EQ(rounds.size(), 3U);
  // To the rank 1, 2 and 4 below: 2, 4 and 8 of the messages leave their node.
  EXPECT_EQ(rounds[0][0], (Amount{.messages = 2, .blocks = 2}));
  EXPECT_EQ(rounds[1][0], (Amount{.messages = 4, .blocks = 8}));
  EXPECT_EQ(rounds[2][0], (Amount{.messages = 8, .blocks = 32}));
}

TEST(Traffic, OfUnevenNodes) {
  Crossings const crossings = sum("allgather/ring", 6, "node:3 core:3,2,1", "block");
  EXPECT_EQ(crossings[0], (Amount{.messages = 15, .blocks = 15}));
}

}  // namespace
}  // namespace espalier::cost
