// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/described_machine.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/mapping/places.hpp"
#include "tests/support/jobs.hpp"

namespace espalier::plan {
namespace {

using mapping::Places;
using test::job_on;
using test::node_tree;

/// Two nodes of four cores; ranks dealt to them in turn, each on a core of its own.
machine::Discovery bound_job() {
  return machine::discover(
      job_on(node_tree(1, 4), {0, 1, 0, 1, 0, 1, 0, 1}, {"3", "0", "2", "1", "1", "2", "0", "3"})
  );
}

machine::Discovery roaming_job() {
  return machine::discover(
      job_on(node_tree(1, 2), {0, 1, 0, 1, 0, 1}, std::vector<std::string>(6, "0-1"))
  );
}

Places places(machine::Discovery const& found, machine::MachineFile const& described) {
  SeatedRanks const seated = complete(found, described);
  return mapping::places_of(seated.machine, seated.core_of_rank);
}

Places places(machine::Discovery const& found, std::string const& described) {
  return places(found, {.machine = machine::Machine::parse(described)});
}

std::string refusal(machine::Discovery const& found, machine::MachineFile const& described) {
  try {
    static_cast<void>(complete(found, described));
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> names(Places const& places) {
  std::vector<std::string> result;
  for (int level = 0; level < places.num_levels(); ++level) {
    result.push_back(places.groups(level).name);
  }
  return result;
}

TEST(DescribedMachine, AddsLevelsThatCannotBeSeen) {
  Places const found = places(bound_job(), "2n x 2s x 2c");
  EXPECT_EQ(names(found), (std::vector<std::string>{"node", "package"}));
  // Ranks lie on their own cores: those on cores 0 and 1 share a package.
  EXPECT_EQ(found.groups(1).group_of_rank, (std::vector{0, 2, 0, 2, 1, 3, 1, 3}));
}

TEST(DescribedMachine, PutsRanksThatRoamInTheirOrder) {
  Places const found = places(roaming_job(), "2n x 3s x 1c");
  EXPECT_EQ(names(found), (std::vector<std::string>{"node"}));
  Places const paired = places(roaming_job(), "2n x 2s x 2c");
  EXPECT_EQ(paired.groups(1).group_of_rank, (std::vector{0, 2, 0, 2, 1, 3}));
}

TEST(DescribedMachine, AddsLevelsAboveNodesInTheOrderOfLowestRanks) {
  auto const found =
      machine::discover(job_on(node_tree(1, 1), {2, 0, 1, 3}, std::vector<std::string>(4, "0")));
  // Nodes with one rank each are no level of their own.
  Places const above = places(found, "2w x 2n x 1c");
  EXPECT_EQ(names(above), (std::vector<std::string>{"switch"}));
  EXPECT_EQ(above.groups(0).group_of_rank, (std::vector{0, 0, 1, 1}));
}

TEST(DescribedMachine, FindsNodesByName) {
  auto const found =
      machine::discover(job_on(node_tree(1, 1), {2, 0, 1, 3}, std::vector<std::string>(4, "0")));
  machine::MachineFile const file{
      .machine = machine::Machine::parse("2w x 2n x 1c"),
      .object_names = {{"node", {"n0", "n2", "n1", "n3"}}},
  };
  EXPECT_EQ(places(found, file).groups(0).group_of_rank, (std::vector{0, 0, 1, 1}));
  machine::MachineFile const other{
      .machine = machine::Machine::parse("2w x 2n x 1c"),
      .object_names = {{"node", {"n1", "n2", "n0", "n3"}}},
  };
  EXPECT_EQ(places(found, other).groups(0).group_of_rank, (std::vector{0, 1, 0, 1}));
}

TEST(DescribedMachine, KeepsWhatIsSeenAndNotDescribed) {
  auto const found = machine::discover(
      job_on(node_tree(2, 2), {0, 0, 0, 0, 1, 1, 1, 1}, {"0", "1", "2", "3", "0", "1", "2", "3"})
  );
  Places const both = places(found, "2n[bandwidth=1GB/s] x 4c[bandwidth=10GB/s]");
  EXPECT_EQ(names(both), (std::vector<std::string>{"node", "package"}));
  EXPECT_EQ(both.groups(1).group_of_rank, (std::vector{0, 0, 1, 1, 2, 2, 3, 3}));
}

TEST(DescribedMachine, GivesCostsOfItsLinks) {
  Places const found = places(bound_job(), "2n[bandwidth=1GB/s] x 2s[bandwidth=5GB/s] x 2c");
  EXPECT_DOUBLE_EQ(found.groups(0).cost, 1);
  // A fifth of the time per byte, and half as many ranks that send at once.
  EXPECT_DOUBLE_EQ(found.groups(1).cost, 0.4);
}

TEST(DescribedMachine, RefusesWhatTheJobContradicts) {
  auto const parse = [](char const* text) {
    return machine::MachineFile{.machine = machine::Machine::parse(text)};
  };
  EXPECT_NE(refusal(bound_job(), parse("1n x 8c")).find("1 node"), std::string::npos);
  EXPECT_NE(refusal(bound_job(), parse("2n x 3c")).find("3 cores"), std::string::npos);
  EXPECT_NE(refusal(roaming_job(), parse("1n x 2c + 1n x 3c")).find("names"), std::string::npos);
  EXPECT_EQ(refusal(roaming_job(), parse("2n x 3c")), "");
}

TEST(DescribedMachine, IsOneNodeIfItBeginsInsideOne) {
  auto const one_node = machine::discover(
      job_on(node_tree(1, 4), std::vector<int>(4, 0), std::vector<std::string>(4, "0-3"))
  );
  Places const parts = places(one_node, "2s[bandwidth=5GB/s] x 2c");
  EXPECT_EQ(names(parts), names(places(one_node, "1n x 2s[bandwidth=5GB/s] x 2c")));
  EXPECT_EQ(parts.groups(1).name, "package");
  EXPECT_EQ(parts.groups(1).group_of_rank, (std::vector{0, 0, 1, 1}));
  machine::MachineFile const file{.machine = machine::Machine::parse("2s x 4c")};
  EXPECT_NE(refusal(bound_job(), file).find("the machine has 1 node"), std::string::npos);
}

TEST(DescribedMachine, SaysWhereNodesAreIfItHasSwitches) {
  machine::MachineFile const file{.machine = machine::Machine::parse("2w x 4c")};
  EXPECT_EQ(
      refusal(bound_job(), file),
      "expected a level of nodes (n) in 2w x 4c, got none: a switch may hold one node or several"
  );
}

TEST(DescribedMachine, RefusesNodesThatShareAName) {
  auto job = job_on(node_tree(1, 1), {0, 1}, {"0", "0"});
  job.ranks[1].processor_name = "n0";
  machine::MachineFile const file{
      .machine = machine::Machine::parse("2n x 1c"),
      .object_names = {{"node", {"n0", "n1"}}},
  };
  EXPECT_NE(refusal(machine::discover(job), file).find("1 names of 2 nodes"), std::string::npos);
}

}  // namespace
}  // namespace espalier::plan
