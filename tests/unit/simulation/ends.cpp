// SPDX-License-Identifier: Apache-2.0

#include "espalier/simulation/ends.hpp"

#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::simulation {
namespace {

using machine::Link;
using machine::Machine;

Machine nodes(Link const& node, Link const& core) {
  Machine machine = Machine::parse("node:2 core:2");
  machine.set_link(0, node);
  machine.set_link(1, core);
  return machine;
}

std::string complaint(Machine const& machine) {
  try {
    (void)ends(machine);
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    return error.what();
  }
  return "";
}

TEST(Ends, AreThoseOfAllLevels) {
  Link link{.latency = 1e-6, .overhead_send = 2e-7, .overhead_receive = 3e-7, .eager_bytes = 1000};
  Link inner = link;
  inner.latency = 1e-7;
  EXPECT_EQ(
      ends(nodes(link, inner)),
      (Ends{.overhead_send = 2e-7, .overhead_receive = 3e-7, .eager_bytes = 1000})
  );
}

TEST(Ends, MayNotDifferBetweenLevels) {
  std::string const expected =
      "expected equal overheads and eager bytes at all crossed levels of a simulated machine, got "
      "others at the level core";
  EXPECT_EQ(complaint(nodes({.overhead_send = 1e-7}, {})), expected);
  EXPECT_EQ(complaint(nodes({}, {.overhead_receive = 1e-7})), expected);
  EXPECT_EQ(complaint(nodes({.eager_bytes = 8}, {.eager_bytes = 9})), expected);
}

TEST(Ends, OfLevelsThatNoMessageCrossesDoNotCount) {
  Link const link{.latency = 1e-6, .overhead_send = 2e-7, .eager_bytes = 1000};
  Ends const expected{.overhead_send = 2e-7, .eager_bytes = 1000};
  Machine one_node = Machine::parse("node:1 core:4");
  one_node.set_link(1, link);
  EXPECT_EQ(ends(one_node), expected);
  Machine one_core = Machine::parse("node:4 core:1");
  one_core.set_link(0, link);
  EXPECT_EQ(ends(one_core), expected);
  EXPECT_EQ(ends(Machine::parse("node:1 core:1")), Ends{});
}

TEST(Ends, HaveNeitherGapNorRendezvousLatency) {
  std::string const expected = "expected a gap and a rendezvous latency of 0 of a simulated "
                               "machine, got others at the level ";
  EXPECT_EQ(complaint(nodes({.gap = 1e-7}, {})), expected + "node");
  EXPECT_EQ(complaint(nodes({}, {.rendezvous_latency = 1e-7})), expected + "core");
}

}  // namespace
}  // namespace espalier::simulation
