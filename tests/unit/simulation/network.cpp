// SPDX-License-Identifier: Apache-2.0

#include "espalier/simulation/network.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/simulation/hops.hpp"

namespace espalier::simulation {
namespace {

using machine::Link;
using machine::Machine;
using machine::Torus;

Machine clusters(Link const& nodes, Link const& packages = {}, Link const& cores = {}) {
  Machine machine = Machine::parse("node:3 package:2 core:2");
  machine.set_link(0, nodes);
  machine.set_link(1, packages);
  machine.set_link(2, cores);
  return machine;
}

std::vector<std::string> names(Network const& network, int source, int target) {
  std::vector<std::string> found;
  for (std::size_t const line : network.route(source, target)) {
    found.push_back(network.lines()[line].name);
  }
  return found;
}

double latency(Network const& network, int source, int target) {
  double sum = 0;
  for (std::size_t const line : network.route(source, target)) {
    sum += network.lines()[line].latency;
  }
  return sum;
}

double bandwidth(Network const& network, int source, int target) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t const line : network.route(source, target)) {
    least = std::min(least, network.lines()[line].bandwidth);
  }
  return least;
}

using Names = std::vector<std::string>;

TEST(Network, GivesEachLevelItsLatencyAndBandwidth) {
  Network const network(clusters(
      {.latency = 2e-6, .per_byte = 1e-9},
      {.latency = 7e-7, .per_byte = 5e-10},
      {.latency = 3e-7, .per_byte = 1.25e-10}
  ));
  EXPECT_DOUBLE_EQ(latency(network, 0, 1), 3e-7);
  EXPECT_DOUBLE_EQ(latency(network, 1, 2), 7e-7);
  EXPECT_DOUBLE_EQ(latency(network, 3, 4), 2e-6);
  EXPECT_DOUBLE_EQ(bandwidth(network, 0, 1), 8e9);
  EXPECT_DOUBLE_EQ(bandwidth(network, 1, 2), 2e9);
  EXPECT_DOUBLE_EQ(bandwidth(network, 3, 4), 1e9);
}

TEST(Network, HasOnlyPortsWhereNothingIsShared) {
  Network const network(clusters({}));
  EXPECT_EQ(names(network, 3, 8), (Names{"node-send-3", "node-receive-8"}));
  EXPECT_EQ(names(network, 2, 3), (Names{"core-send-2", "core-receive-3"}));
  EXPECT_EQ(names(network, 5, 5), Names{"self-5"});
}

TEST(Network, LeadsThroughTheChannelsOfAllObjectsLeftAndEntered) {
  Network const network(clusters({.channels = 3}, {.channels = 1}));
  EXPECT_EQ(
      names(network, 3, 8),
      (Names{
          "node-send-3",
          "package-out-1",
          "node-out-0",
          "node-in-2",
          "package-in-4",
          "node-receive-8"
      })
  );
  EXPECT_EQ(
      names(network, 0, 2),
      (Names{"package-send-0", "package-out-0", "package-in-1", "package-receive-2"})
  );
}

TEST(Network, MakesChannelsAsFastAsThatManyMessages) {
  Network const network(clusters({.per_byte = 1e-9, .channels = 2.5}));
  EXPECT_DOUBLE_EQ(network.lines()[network.route(0, 4)[1]].bandwidth, 2.5e9);
}

TEST(Network, UsesOneWayForBothDirectionsAtHalfDuplex) {
  Network const network(clusters({.channels = 1, .full_duplex = false}));
  EXPECT_EQ(
      names(network, 0, 4), (Names{"node-send-0", "node-out-0", "node-out-1", "node-receive-4"})
  );
}

TEST(Network, SharesWhatLiesInTheSameParent) {
  Network const network(clusters({}, {}, {.per_byte = 1e-9, .shared_channels = 2}));
  EXPECT_EQ(names(network, 2, 3), (Names{"core-send-2", "core-shared-1", "core-receive-3"}));
  EXPECT_DOUBLE_EQ(network.lines()[network.route(2, 3)[1]].bandwidth, 2e9);
  EXPECT_EQ(names(network, 1, 2), (Names{"package-send-1", "package-receive-2"}));
}

TEST(Network, TakesTheTimeOfEnvelopesOffTheLatency) {
  Network const network(
      clusters({.latency = 2e-6, .per_byte = 1e-9}, {}, {.latency = 1e-9, .per_byte = 1e-9}), 16
  );
  EXPECT_DOUBLE_EQ(latency(network, 0, 4), 2e-6 - 16e-9);
  EXPECT_DOUBLE_EQ(latency(network, 0, 1), 0);
}

TEST(Network, CountsHopsOnATorus) {
  Machine machine(
      {{.name = "node", .of_core = {0, 0, 1, 1, 2, 2, 3, 3}}, {"core", {0, 1, 2, 3, 4, 5, 6, 7}}},
      Torus{.extents = {4}, .hop_latency = 1e-7, .link_per_byte = 2e-9}
  );
  machine.set_link(0, {.latency = 1e-6, .per_byte = 1e-9});
  Network const network(machine);
  EXPECT_DOUBLE_EQ(latency(network, 0, 2), 1.1e-6);
  EXPECT_DOUBLE_EQ(latency(network, 0, 4), 1.2e-6);
  EXPECT_DOUBLE_EQ(latency(network, 0, 7), 1.1e-6);
  EXPECT_DOUBLE_EQ(bandwidth(network, 0, 7), 5e8);
  EXPECT_DOUBLE_EQ(latency(network, 0, 1), 0);
}

TEST(Hops, GoAlongTheDimensionsInOrderAndTheShorterWay) {
  Torus const torus{.extents = {4, 3}};
  EXPECT_EQ(
      hops(torus, 0, 3 + 4 * 1),
      (std::vector<Hop>{{.node = 0, .dimension = 0, .is_up = false}, {.node = 3, .dimension = 1}})
  );
  EXPECT_EQ(
      hops(torus, 1, 3),
      (std::vector<Hop>{{.node = 1, .dimension = 0}, {.node = 2, .dimension = 0}})
  );
  EXPECT_EQ(
      hops(torus, 2, 2 + 4 * 2), (std::vector<Hop>{{.node = 2, .dimension = 1, .is_up = false}})
  );
  EXPECT_TRUE(hops(torus, 7, 7).empty());
}

}  // namespace
}  // namespace espalier::simulation
