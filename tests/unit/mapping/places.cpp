// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/places.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/tree/machine.hpp"

namespace espalier::mapping {
namespace {

Places::LevelGroups level(std::string name, std::vector<int> groups, double cost = 1) {
  return {.name = std::move(name), .group_of_rank = std::move(groups), .cost = cost};
}

std::string refusal(std::vector<Places::LevelGroups> levels) {
  try {
    Places const places(std::move(levels));
  } catch (Error const& error) {
    return error.what();
  }
  return {};
}

TEST(Places, CountGroupsInTheOrderOfTheHardware) {
  Places const places({
      level("node", {7, -2, 7, -2, 7, 5}),
      level("package", {9, 1, 3, 1, 9, 0}),
  });
  EXPECT_EQ(places.num_ranks(), 6);
  EXPECT_EQ(places.hardware_order(), (std::vector{0, 4, 2, 1, 3, 5}));
  EXPECT_EQ(places.groups(0).group_of_rank, (std::vector{0, 1, 0, 1, 0, 2}));
  EXPECT_EQ(places.groups(1).group_of_rank, (std::vector{0, 2, 1, 2, 0, 3}));
  EXPECT_EQ(places.sizes(0), (std::vector{3, 2, 1}));
  EXPECT_EQ(places.sizes(1), (std::vector{2, 1, 2, 1}));
  EXPECT_EQ(places.crossing(0, 1), 0);
  EXPECT_EQ(places.crossing(0, 2), 1);
  EXPECT_EQ(places.crossing(0, 4), 2);
}

TEST(Places, KeepLevelsThatSplitNothing) {
  Places const places({level("switch", {0, 0}), level("node", {4, 4}), level("core", {0, 1})});
  EXPECT_EQ(places.num_levels(), 3);
  EXPECT_EQ(places.sizes(0), std::vector{2});
  EXPECT_EQ(places.crossing(0, 1), 2);
}

TEST(Places, RefuseWhatIsNoTree) {
  EXPECT_EQ(refusal({}), "expected places of at least one rank, got none");
  EXPECT_EQ(refusal({level("node", {})}), "expected places of at least one rank, got none");
  EXPECT_EQ(
      refusal({level("node", {0, 1}), level("package", {0})}),
      "expected groups of 2 ranks in every level, got 1 in level package"
  );
  EXPECT_EQ(
      refusal({level("node", {0, 1}), level("package", {3, 3})}),
      "expected every group of level package inside one of level node, got one in several that "
      "rank 1 belongs to"
  );
  EXPECT_NE(refusal({level("node", {0}, 0)}), "");
  EXPECT_NE(refusal({level("node", {0}, -1)}), "");
}

TEST(PlacesOfMachine, StopWhereRanksAreAlone) {
  machine::Machine const machine = machine::Machine::parse("node:2 package:2 core:3");
  std::vector<int> const all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  Places const places = places_of(machine, all);
  ASSERT_EQ(places.num_levels(), 2);
  EXPECT_EQ(places.groups(1).name, "package");
  EXPECT_EQ(places.sizes(0), (std::vector{6, 6}));
  EXPECT_EQ(places.sizes(1), (std::vector{3, 3, 3, 3}));
  EXPECT_EQ(places_of(machine, std::vector{0, 3, 6, 9}).num_levels(), 1);
  EXPECT_EQ(places_of(machine, std::vector{0, 6}).num_levels(), 1);
  EXPECT_EQ(places_of(machine, std::vector{5}).num_ranks(), 1);
  EXPECT_THROW(static_cast<void>(places_of(machine, std::vector<int>{})), Error);
  EXPECT_THROW(static_cast<void>(places_of(machine, std::vector{12})), Error);
  EXPECT_THROW(static_cast<void>(places_of(machine, std::vector{-1})), Error);
}

TEST(PlacesOfMachine, TakeCostsFromLinks) {
  machine::Machine machine = machine::Machine::parse("node:2 package:2 core:4");
  std::vector<int> const all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  EXPECT_DOUBLE_EQ(places_of(machine, all).groups(0).cost, 1);
  EXPECT_DOUBLE_EQ(places_of(machine, all).groups(1).cost, Places::inner_cost);
  machine.set_link(0, {.per_byte = 1e-9, .channels = 2});
  EXPECT_DOUBLE_EQ(places_of(machine, all).groups(1).cost, Places::inner_cost);
  machine.set_link(1, {.per_byte = 1e-10});  // as many channels as ranks: 4
  EXPECT_DOUBLE_EQ(places_of(machine, all).groups(1).cost, (1e-10 / 4) / (1e-9 / 2));
  machine.set_link(1, {.per_byte = 1e-10, .shared_channels = 3});  // half of it for each package
  EXPECT_DOUBLE_EQ(places_of(machine, all).groups(1).cost, (1e-10 / 1.5) / (1e-9 / 2));
}

/// With one node in the job the network has nothing to say.
TEST(PlacesOfMachine, CompareWithTheFirstLevelInUse) {
  machine::Machine machine = machine::Machine::parse("node:2 package:2 numa:2 core:4");
  std::vector<int> const one_node{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  machine.set_link(1, {.per_byte = 4e-10, .channels = 2});
  machine.set_link(2, {.per_byte = 1e-10, .channels = 1});
  Places const places = places_of(machine, one_node);
  ASSERT_EQ(places.num_levels(), 3);
  EXPECT_DOUBLE_EQ(places.groups(1).cost, 1);
  EXPECT_DOUBLE_EQ(places.groups(2).cost, 0.5);
}

}  // namespace
}  // namespace espalier::mapping
