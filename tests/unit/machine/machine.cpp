// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/tree/machine.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::machine {
namespace {

using Numbers = std::vector<int>;

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

std::string complaint(std::vector<Level> levels, Torus torus = {}) {
  try {
    static_cast<void>(Machine(std::move(levels), std::move(torus)));
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

TEST(Machine, RefusesLevelsThatAreNoTree) {
  EXPECT_EQ(complaint({}), "expected a machine with at least one level, got 'none'");
  std::string const numbers =
      "expected for each core the number of its object, from 0 in the order of cores, got ";
  EXPECT_EQ(complaint({{.name = "core", .of_core = {}}}), numbers + "'core'");
  EXPECT_EQ(complaint({{.name = "core", .of_core = {1, 2}}}), numbers + "'core'");
  EXPECT_EQ(
      complaint({{.name = "node", .of_core = {0, 2}}, {.name = "core", .of_core = {0, 1}}}),
      numbers + "'node'"
  );
  EXPECT_EQ(
      complaint({{.name = "node", .of_core = {0}}, {.name = "core", .of_core = {0, 1}}}),
      numbers + "'node'"
  );
  EXPECT_EQ(
      complaint({{.name = "node", .of_core = {0, 1}}, {.name = "core", .of_core = {0, 0}}}),
      "expected a level that lies inside node, got 'core'"
  );
  EXPECT_EQ(
      complaint({{.name = "node", .of_core = {0, 0}}}),
      "expected a last level with one core in each object, got 'node'"
  );
}

TEST(Machine, RefusesNamesThatContradict) {
  EXPECT_EQ(
      complaint({{.name = "Node", .of_core = {0}}}),
      "expected a level called by small letters, digits and _, got 'Node'"
  );
  EXPECT_EQ(
      complaint({{.name = "node", .of_core = {0}}, {.name = "node", .of_core = {0}}}),
      "expected each level once, got 'node'"
  );
  // With a name of the user's own between them.
  EXPECT_EQ(
      complaint(
          {{.name = "core", .of_core = {0}},
           {.name = "die", .of_core = {0}},
           {.name = "switch2", .of_core = {0}}}
      ),
      "expected levels from the outside in (group, switch, node, package, numa, l3, core, thread), "
      "not switch2 inside core, got 'switch2'"
  );
  EXPECT_EQ(complaint({{.name = "l3", .of_core = {0}}, {.name = "numa", .of_core = {0}}}), "");
}

TEST(Machine, RefusesLinksThatCannotBe) {
  double const none = std::numeric_limits<double>::quiet_NaN();
  auto const refused = [](Link const& link) {
    Machine machine = Machine::parse("4c");
    EXPECT_THROW(machine.set_link(0, link), Error);
    EXPECT_EQ(machine.link(0), Link{});
    return complaint({{.name = "core", .of_core = {0}, .link = link}});
  };
  EXPECT_EQ(
      refused({.latency = -1}), "expected a finite latency of level core of at least 0, got '-1'"
  );
  EXPECT_NE(refused({.overhead_send = none}), "");
  EXPECT_NE(refused({.overhead_receive = Link::unlimited}), "");
  EXPECT_NE(refused({.gap = -1e-9}), "");
  EXPECT_NE(refused({.per_byte = -1}), "");
  EXPECT_NE(refused({.rendezvous_latency = -1}), "");
  EXPECT_EQ(refused({.channels = 0}), "expected channels of level core above 0, got '0'");
  EXPECT_NE(refused({.shared_channels = none}), "");
  EXPECT_EQ(
      refused({.eager_bytes = -1}), "expected eager bytes of level core of at least 0, got '-1'"
  );
}

TEST(Machine, RefusesATorusOfOtherNodes) {
  std::vector<Level> const nodes = {{.name = "node", .of_core = {0, 1, 2, 3}}};
  EXPECT_EQ(complaint(nodes, {.extents = {2, 2}}), "");
  std::string const expected = "expected a torus of 4 nodes, and no level outside them, got ";
  EXPECT_EQ(complaint(nodes, {.extents = {2, 3}}), expected + "'6'");
  EXPECT_NE(complaint(nodes, {.extents = {-2, -2}}), "");
  EXPECT_NE(complaint(nodes, {.extents = {2, 2}, .hop_latency = -1}), "");
  std::vector<Level> switched = nodes;
  switched.insert(switched.begin(), {.name = "switch", .of_core = {0, 0, 0, 0}});
  EXPECT_NE(complaint(switched, {.extents = {2, 2}}), "");
}

TEST(Machine, CrossesTheOutermostLevelThatDiffers) {
  Machine const machine = Machine::parse("2n x 2s x 2c");
  EXPECT_EQ(machine.crossing(0, 4), 0);
  EXPECT_EQ(machine.crossing(0, 2), 1);
  EXPECT_EQ(machine.crossing(2, 3), 2);
  EXPECT_EQ(machine.crossing(5, 5), 3);
}

}  // namespace
}  // namespace espalier::machine
