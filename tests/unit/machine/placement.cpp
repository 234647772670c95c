// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/tree/placement.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::machine {
namespace {

using Numbers = std::vector<int>;

std::string complaint(std::string_view placement, int num_ranks) {
  try {
    static_cast<void>(place(Machine::parse("2n x 4c"), placement, num_ranks));
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

Numbers nodes(Machine const& machine, Numbers cores) {
  for (int& core : cores) {
    core = machine.object_of(machine.node_level(), core);
  }
  return cores;
}

Numbers cores_of_node(Machine const& machine) {
  Numbers cores(static_cast<std::size_t>(machine.num_objects(machine.node_level())));
  for (int core = 0; core < machine.num_cores(); ++core) {
    ++cores[static_cast<std::size_t>(machine.object_of(machine.node_level(), core))];
  }
  return cores;
}

TEST(Placement, FillsOrDeals) {
  Machine const machine = Machine::parse("node:2 core:4");
  EXPECT_EQ(place(machine, "block", 6), (Numbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(place(machine, "cyclic", 6), (Numbers{0, 4, 1, 5, 2, 6}));
  EXPECT_EQ(place(machine, "cyclic:2", 8), (Numbers{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(place(machine, "cyclic:3", 8), (Numbers{0, 1, 2, 4, 5, 6, 3, 7}));
  EXPECT_EQ(place(machine, "list:7,0,3,1", 3), (Numbers{7, 0, 3}));
}

TEST(Placement, FoldsEveryOtherTurn) {
  Machine const machine = Machine::parse("3n x 4c");
  EXPECT_EQ(
      nodes(machine, place(machine, "folded", 11)), (Numbers{0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1})
  );
  EXPECT_EQ(place(machine, "folded", 5), (Numbers{0, 4, 8, 9, 5}));
}

TEST(Placement, PassesOverFullNodes) {
  Machine const machine = Machine::parse("node:3 core:3,1,2");
  EXPECT_EQ(place(machine, "cyclic", 6), (Numbers{0, 3, 4, 1, 5, 2}));
  EXPECT_EQ(place(machine, "folded", 6), (Numbers{0, 3, 4, 5, 1, 2}));
}

TEST(Placement, DealsToNodesBelowSwitches) {
  Machine const machine = Machine::parse("switch:2 node:2 core:2");
  EXPECT_EQ(place(machine, "cyclic", 5), (Numbers{0, 2, 4, 6, 1}));
}

TEST(Placement, SaysWhatIsWrong) {
  std::string const kinds =
      "expected a placement (block, cyclic, cyclic:n with n >= 1, folded, or list:0,4,1 of cores)";
  EXPECT_EQ(complaint("odd", 4), kinds + ", got 'odd'");
  EXPECT_EQ(complaint("cyclic:0", 4), kinds + ", got 'cyclic:0'");
  EXPECT_EQ(complaint("cyclic:", 4), kinds + ", got 'cyclic:'");
  EXPECT_EQ(
      complaint("block", 9), "expected a machine with a core for each of 9 ranks, got one with 8"
  );
  EXPECT_EQ(complaint("list:0,8", 2), "expected cores 0 .. 7 in a placement, got '8'");
  EXPECT_EQ(complaint("list:0,-1", 2), "expected cores 0 .. 7 in a placement, got '-1'");
  EXPECT_EQ(complaint("list:", 2), "expected cores 0 .. 7 in a placement, got ''");
  EXPECT_EQ(complaint("list:0,3,0", 2), "expected each core once in a placement, got '0'");
  EXPECT_EQ(
      complaint("list:0,3", 3),
      "expected a placement with a core for each of 3 ranks, got '2 cores'"
  );
}

TEST(Recognise, SeesWhatRanksShow) {
  auto const placement = [](Numbers const& nodes) { return recognise(nodes).placement; };
  EXPECT_EQ(placement({}), "block");
  EXPECT_EQ(placement({0, 0, 0}), "block");
  EXPECT_EQ(placement({0, 0, 1, 1, 1, 2}), "block");
  EXPECT_EQ(placement({0, 1, 2}), "block");
  EXPECT_EQ(placement({0, 1, 0, 1}), "cyclic");
  EXPECT_EQ(placement({0, 1, 0, 1, 1}), "cyclic");
  EXPECT_EQ(placement({0, 0, 1, 1, 0, 0, 1, 1}), "cyclic:2");
  EXPECT_EQ(placement({0, 0, 1, 2, 2, 0, 0}), "cyclic:2");
  EXPECT_EQ(placement({0, 1, 1, 0, 0, 1}), "folded");
  EXPECT_EQ(placement({0, 1, 2, 2, 1, 0}), "folded");
  EXPECT_EQ(placement({0, 1, 1, 2, 0}), "arbitrary");
  EXPECT_EQ(placement({0, 1, 0, 0, 1}), "arbitrary");
}

TEST(Recognise, TakesNodesInTheOrderOfRanks) {
  Recognised const found = recognise(Numbers{7, 2, 7, 2});
  EXPECT_EQ(found.placement, "cyclic");
  EXPECT_EQ(found.node_order, (Numbers{7, 2}));
}

TEST(Recognise, KnowsJobsThatLeaveCoresFree) {
  EXPECT_EQ(recognise(Numbers{0, 1, 2}, Numbers{4, 4, 4}).placement, "cyclic");
  EXPECT_EQ(recognise(Numbers{0, 0, 1, 1, 1}, Numbers{2, 3}).placement, "block");
  EXPECT_EQ(recognise(Numbers{0, 0, 1, 1, 1}, Numbers{4, 4}).placement, "arbitrary");
}

TEST(Recognise, RefusesNodesWithTooFewCores) {
  EXPECT_THROW(static_cast<void>(recognise(Numbers{0, 0, 1}, Numbers{1, 1})), Error);
  EXPECT_THROW(static_cast<void>(recognise(Numbers{0, 1}, Numbers{1})), Error);
  EXPECT_THROW(static_cast<void>(recognise(Numbers{0, -1})), Error);
}

TEST(Recognise, IsTheInverseOfPlace) {
  for (char const* text :
       {"1n x 5c",
        "5n x 1c",
        "2n x 4c",
        "3n x 4c",
        "4n x 3c",
        "node:3 core:3,1,2",
        "2n x 1c + 1n x 7c",
        "2w x 2n x 3c",
        "node:4 core:1,5,2,5"}) {
    Machine const machine = Machine::parse(text);
    for (char const* kind : {"block", "cyclic", "cyclic:2", "cyclic:3", "cyclic:4", "folded"}) {
      for (int num_ranks = 1; num_ranks <= machine.num_cores(); ++num_ranks) {
        Numbers const expected = nodes(machine, place(machine, kind, num_ranks));
        std::string const found = recognise(expected, cores_of_node(machine)).placement;
        ASSERT_NE(found, "arbitrary") << kind << " of " << num_ranks << " ranks on " << text;
        EXPECT_EQ(nodes(machine, place(machine, found, num_ranks)), expected)
            << kind << " of " << num_ranks << " ranks on " << text << ", found " << found;
        EXPECT_NE(recognise(expected).placement, "arbitrary") << kind << num_ranks << text;
      }
    }
  }
}

TEST(Recognise, TellsTheKindsApart) {
  Machine const machine = Machine::parse("3n x 8c");
  for (char const* kind : {"block", "cyclic", "cyclic:2", "cyclic:3", "cyclic:4", "folded"}) {
    EXPECT_EQ(recognise(nodes(machine, place(machine, kind, 24))).placement, kind);
  }
}

}  // namespace
}  // namespace espalier::machine
