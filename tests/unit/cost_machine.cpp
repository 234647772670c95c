// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/cost/machine.hpp"

namespace espalier::cost {
namespace {

using Numbers = std::vector<int>;

std::string complaint(std::string_view text) {
  try {
    static_cast<void>(Machine::parse(text));
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

Numbers objects(Machine const& machine, int level) {
  Numbers result;
  for (int core = 0; core < machine.num_cores(); ++core) {
    result.push_back(machine.object_of(level, core));
  }
  return result;
}

TEST(Machine, HasTheSameNumberEverywhere) {
  Machine const machine = Machine::parse("node:2 socket:2 core:3");
  EXPECT_EQ(machine.num_levels(), 3);
  EXPECT_EQ(machine.name(1), "socket");
  EXPECT_EQ(machine.num_objects(0), 2);
  EXPECT_EQ(machine.num_objects(1), 4);
  EXPECT_EQ(machine.num_cores(), 12);
  EXPECT_EQ(objects(machine, 0), (Numbers{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(objects(machine, 1), (Numbers{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}));
}

TEST(Machine, HasANumberForEach) {
  Machine const machine = Machine::parse(" node:3  core:3,2,1 ");
  EXPECT_EQ(objects(machine, 0), (Numbers{0, 0, 0, 1, 1, 2}));
  EXPECT_EQ(objects(machine, 1), (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST(Machine, KnowsItsNodes) {
  EXPECT_EQ(Machine::parse("switch:2 node:2 core:4").node_level(), 1);
  EXPECT_EQ(Machine::parse("rack:2 core:4").node_level(), 0);
}

TEST(Machine, SaysWhatIsWrong) {
  EXPECT_EQ(complaint(""), "expected a machine as in 'node:2 core:4', got ''");
  EXPECT_EQ(complaint("node"), "expected a level and a number as in node:2, got 'node'");
  EXPECT_EQ(complaint(":3"), "expected a level and a number as in node:2, got ':3'");
  EXPECT_EQ(
      complaint("node:0"),
      "expected positive numbers after the colon as in core:8 or core:8,8,4, got 'node:0'"
  );
  EXPECT_EQ(
      complaint("node:2 core:4,x"),
      "expected positive numbers after the colon as in core:8 or core:8,8,4, got 'core:4,x'"
  );
  EXPECT_EQ(
      complaint("node:3 core:4,4"),
      "expected one number, or one for each of the 3 objects above, got 'core:4,4'"
  );
  EXPECT_EQ(complaint("node:2 node:3"), "expected each level once, got 'node:2 node:3'");
  EXPECT_EQ(
      complaint("node:10000 core:10000"), "expected at most 16777216 cores, got 'core:10000'"
  );
}

TEST(Placement, FillsOrDeals) {
  Machine const machine = Machine::parse("node:2 core:4");
  EXPECT_EQ(place(machine, "block", 6), (Numbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(place(machine, "cyclic", 6), (Numbers{0, 4, 1, 5, 2, 6}));
  EXPECT_EQ(place(machine, "cyclic:2", 8), (Numbers{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(place(machine, "cyclic:3", 8), (Numbers{0, 1, 2, 4, 5, 6, 3, 7}));
}

TEST(Placement, PassesOverFullNodes) {
  Machine const machine = Machine::parse("node:3 core:3,1,2");
  EXPECT_EQ(place(machine, "cyclic", 6), (Numbers{0, 3, 4, 1, 5, 2}));
}

TEST(Placement, DealsToNodesBelowSwitches) {
  Machine const machine = Machine::parse("switch:2 node:2 core:2");
  EXPECT_EQ(place(machine, "cyclic", 5), (Numbers{0, 2, 4, 6, 1}));
}

TEST(Placement, SaysWhatIsWrong) {
  Machine const machine = Machine::parse("node:2 core:4");
  EXPECT_THROW(static_cast<void>(place(machine, "cyclic:0", 4)), Error);
  EXPECT_THROW(static_cast<void>(place(machine, "folded", 4)), Error);
  EXPECT_THROW(static_cast<void>(place(machine, "block", 9)), Error);
}

}  // namespace
}  // namespace espalier::cost
