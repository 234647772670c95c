// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/slurm.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/sources/host_list.hpp"
#include "espalier/machine/sources/topology_conf.hpp"
#include "espalier/machine/text/text.hpp"

namespace espalier::machine {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<int>;

std::string contents(std::string const& name) {
  std::ifstream file(std::string(ESPALIER_TEST_DATA) + "/machines/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// What a call complains about, empty if it does not.
template <typename Call> std::string complaint(Call call) {
  try {
    static_cast<void>(call());
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

std::string topology_complaint(std::string_view text) {
  return complaint([&] { return read_topology_conf(text, "t.conf"); });
}

TEST(HostList, ExpandsBrackets) {
  EXPECT_EQ(
      expand_hosts("n[001-003,020],login1"), (Names{"n001", "n002", "n003", "n020", "login1"})
  );
  EXPECT_EQ(expand_hosts("a[1-2]b[3-4]c"), (Names{"a1b3c", "a1b4c", "a2b3c", "a2b4c"}));
  EXPECT_EQ(expand_hosts("n[8-11]"), (Names{"n8", "n9", "n10", "n11"}));
  EXPECT_EQ(expand_hosts("(null)"), Names{});
  EXPECT_EQ(expand_hosts(""), Names{});
}

TEST(HostList, SaysWhatIsWrong) {
  EXPECT_EQ(
      complaint([] { return expand_hosts("n[1-2"); }),
      "expected a host list with brackets that match as in n[1-4], got 'n[1-2'"
  );
  EXPECT_EQ(
      complaint([] { return expand_hosts("n[3-1]"); }),
      "expected rising ranges of numbers in the brackets of a host list, got '3-1'"
  );
  for (char const* const list : {"n]1[", "n[[1]]", "n[a-b]", "n[]", "n1,,n2", "n1,", "n[1-2]]"}) {
    EXPECT_NE(complaint([&] { return expand_hosts(list); }), "") << list;
  }
  EXPECT_NE(complaint([] { return expand_hosts("n[0-2000000]"); }), "");
  EXPECT_NE(complaint([] { return expand_hosts("n[0-9999]m[0-9999]"); }), "");
}

TEST(HostList, ExpandsCounts) {
  EXPECT_EQ(expand_counts("4(x3),2"), (Numbers{4, 4, 4, 2}));
  EXPECT_EQ(expand_counts("7"), Numbers{7});
  for (char const* const list :
       {"", "4(x", "4(x3", "4x3", "(x3)", "4(x-1)", "4,,2", "4(x9999999)"}) {
    EXPECT_NE(complaint([&] { return expand_counts(list); }), "") << list;
  }
}

TEST(TopologyConf, ReadsATreeOfSwitches) {
  Network const network = read_topology_conf(contents("tree-of-8-nodes.topology.conf"), "t.conf");
  EXPECT_EQ(network.nodes.size(), 8U);
  ASSERT_EQ(network.levels.size(), 2U);
  EXPECT_EQ(network.levels[0].name, "switch1");
  EXPECT_EQ(network.levels[1].name, "switch2");
  auto const& racks = network.levels[0].object_of_node;
  auto const& leaves = network.levels[1].object_of_node;
  EXPECT_EQ(racks.at("n001"), racks.at("n004"));
  EXPECT_NE(racks.at("n004"), racks.at("n005"));
  EXPECT_EQ(leaves.at("n007"), leaves.at("n008"));
  EXPECT_NE(leaves.at("n006"), leaves.at("n007"));
}

TEST(TopologyConf, ReadsBlocksAndBlocksOfBlocks) {
  Network const network = read_topology_conf(contents("blocks-of-4-nodes.topology.conf"), "t.conf");
  ASSERT_EQ(network.levels.size(), 2U);
  auto const& large = network.levels[0].object_of_node;
  auto const& small = network.levels[1].object_of_node;
  EXPECT_EQ(small.at("n05"), small.at("n08"));
  EXPECT_NE(small.at("n04"), small.at("n05"));
  EXPECT_EQ(large.at("n01"), large.at("n08"));
  EXPECT_NE(large.at("n08"), large.at("n09"));
}

TEST(TopologyConf, ReadsBlocksWithoutSizes) {
  Network const network =
      read_topology_conf("BlockName=a Nodes=x,y\nBlockName=b Nodes=z", "t.conf");
  ASSERT_EQ(network.levels.size(), 1U);
  EXPECT_EQ(network.levels[0].name, "switch");
}

TEST(TopologyConf, AlignsSwitchesByHeight) {
  Network const network = read_topology_conf(
      "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\nSwitchName=m Switches=a,b\n"
      "SwitchName=c Nodes=n3\nSwitchName=top Switches=m,c\n",
      "t.conf"
  );
  ASSERT_EQ(network.levels.size(), 2U);
  EXPECT_EQ(network.levels[0].object_of_node.at("n1"), network.levels[0].object_of_node.at("n2"));
  EXPECT_NE(network.levels[0].object_of_node.at("n2"), network.levels[0].object_of_node.at("n3"));
}

TEST(TopologyConf, KeepsSeparateFabricsApart) {
  Network const network =
      read_topology_conf("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2", "t.conf");
  ASSERT_EQ(network.levels.size(), 1U);
}

TEST(TopologyConf, TakesHints) {
  EXPECT_EQ(read_topology_conf("TopologyParam=Dragonfly,x\n", "t.conf").hint, "dragonfly");
  EXPECT_EQ(read_topology_conf("TopologyPlugin=topology/3d_torus # x\n", "t.conf").hint, "torus");
  EXPECT_EQ(read_topology_conf("TopologyPlugin=topology/tree\n", "t.conf").hint, "");
}

TEST(TopologyConf, SaysWhereItContradictsItself) {
  EXPECT_EQ(
      topology_complaint("SwitchName=a Nodes=n[1-2]\n#\nSwitchName=b Nodes=n2\n"),
      "t.conf:3: node 'n2' is already in 'a', line 1"
  );
  EXPECT_EQ(
      topology_complaint("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n"),
      "t.conf:2: 'a' is already in line 1"
  );
  EXPECT_EQ(
      topology_complaint("SwitchName=a Nodes=n1\nSwitchName=t Switches=a,b\n"),
      "t.conf:2: switch 'b' is not in the file"
  );
  EXPECT_EQ(
      topology_complaint("SwitchName=a Nodes=n1\nSwitchName=t Switches=a\nSwitchName=u Switches=a\n"
      ),
      "t.conf:3: switch 'a' is already below 't', line 2"
  );
  EXPECT_EQ(
      topology_complaint(
          "SwitchName=l Nodes=n1\nSwitchName=a Switches=b,l\nSwitchName=b Switches=a\n"
      ),
      "t.conf:2: switch 'a' is above itself"
  );
  EXPECT_EQ(topology_complaint("SwitchName=a Switches=a"), "t.conf:1: switch 'a' is above itself");
}

TEST(TopologyConf, SaysWhereALineIsWrong) {
  EXPECT_EQ(
      topology_complaint("\n\nSwitchName a\n"),
      "t.conf:3: expected key=value as in SwitchName=s1, got 'SwitchName'"
  );
  EXPECT_EQ(
      topology_complaint("NodeName=a\n"),
      "t.conf:1: expected SwitchName=, BlockName= or BlockSizes=, got 'nodename='"
  );
  EXPECT_EQ(
      topology_complaint("SwitchName=a\n"),
      "t.conf:1: expected Nodes= or Switches= of 'a', got neither"
  );
  EXPECT_EQ(
      topology_complaint("SwitchName=a Nodes=n[2-1]\n"),
      "t.conf:1: expected rising ranges of numbers in the brackets of a host list, got '2-1'"
  );
  EXPECT_EQ(
      topology_complaint("BlockName=a Nodes=x\nBlockSizes=2,3\n"),
      "t.conf:2: expected rising multiples of the first in BlockSizes=, got '3'"
  );
  EXPECT_NE(topology_complaint("BlockName=a Nodes=x\nBlockSizes=0\n"), "");
  EXPECT_NE(topology_complaint("BlockName=a Nodes=x\nSwitchName=b Nodes=y\n"), "");
  EXPECT_NE(topology_complaint("SwitchName=a SwitchName=b Nodes=y\n"), "");
  EXPECT_EQ(
      topology_complaint("SwitchName=a Nodes=n1,n1\n"),
      "t.conf:1: expected each node once, got 'n1' twice"
  );
}

Environment job_environment() {
  return {
      {"SLURM_JOB_NODELIST", "n[001-004]"},
      {"SLURM_TASKS_PER_NODE", "4(x3),2"},
      {"SLURM_JOB_CPUS_PER_NODE", "8(x4)"},
      {"SLURM_DISTRIBUTION", "block:cyclic,NoPack"},
  };
}

TEST(SlurmJob, ReadsTheVariablesOfAJob) {
  auto const job = slurm_job(job_environment());
  ASSERT_TRUE(job);
  EXPECT_EQ(job->nodes, (Names{"n001", "n002", "n003", "n004"}));
  EXPECT_EQ(job->tasks_per_node, (Numbers{4, 4, 4, 2}));
  EXPECT_EQ(job->cpus_per_node, (Numbers{8, 8, 8, 8}));
  EXPECT_EQ(job->distribution, "block");
  EXPECT_FALSE(slurm_job({{"SLURM_PROCID", "0"}}));
}

TEST(SlurmJob, PrefersTheStep) {
  Environment environment = job_environment();
  environment["SLURM_STEP_NODELIST"] = "n[002,004]";
  environment["SLURM_STEP_TASKS_PER_NODE"] = "1(x2)";
  environment["SLURM_JOB_CPUS_PER_NODE"] = "8(x3),4";
  auto const job = slurm_job(environment);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->nodes, (Names{"n002", "n004"}));
  EXPECT_EQ(job->tasks_per_node, (Numbers{1, 1}));
  EXPECT_EQ(job->cpus_per_node, (Numbers{8, 4}));
}

TEST(SlurmJob, KnowsWhereTasksGo) {
  SlurmJob job{{"a", "b", "c"}, {3, 1, 2}, {}, "block"};
  EXPECT_EQ(job.node_of_task(), (Numbers{0, 0, 0, 1, 2, 2}));
  job.distribution = "";
  EXPECT_EQ(job.node_of_task(), (Numbers{0, 0, 0, 1, 2, 2})) << "as SLURM does by default";
  job.distribution = "cyclic";
  EXPECT_EQ(job.node_of_task(), (Numbers{0, 1, 2, 0, 2, 0}));
  job.distribution = "plane=2";
  EXPECT_EQ(job.node_of_task(), (Numbers{0, 0, 1, 2, 2, 0}));
  job.distribution = "arbitrary";
  EXPECT_EQ(job.node_of_task(), std::nullopt);
  job.distribution = "plane=0";
  EXPECT_EQ(job.node_of_task(), std::nullopt);
}

TEST(SlurmJob, SaysWhichVariableIsWrong) {
  Environment environment = job_environment();
  environment["SLURM_TASKS_PER_NODE"] = "4(x3)";
  EXPECT_EQ(
      complaint([&] { return slurm_job(environment); }),
      "SLURM_TASKS_PER_NODE: expected a number for each of 4 nodes, got 3 ('4(x3)')"
  );
  environment = job_environment();
  environment["SLURM_JOB_NODELIST"] = "n[1-";
  EXPECT_EQ(
      complaint([&] { return slurm_job(environment); }),
      "SLURM_JOB_NODELIST: expected a host list with brackets that match as in n[1-4], got 'n[1-'"
  );
}

TEST(SlurmJob, MakesAMachine) {
  auto const job = slurm_job(job_environment());
  ASSERT_TRUE(job);
  EXPECT_EQ(to_text(machine_of(*job).machine), "4n x 8c");
  Network const network = read_topology_conf(contents("tree-of-8-nodes.topology.conf"), "t.conf");
  NamedMachine const found = machine_of(*job, network);
  EXPECT_EQ(to_text(found.machine), to_text(parse_text("switch2:2 node:2 core:8")));
  EXPECT_EQ(found.node_names, job->nodes);
}

TEST(SlurmJob, PutsNodesOfASwitchTogether) {
  SlurmJob const job{{"n001", "n005", "n002"}, {1, 2, 3}, {}, "block"};
  Network const network = read_topology_conf(contents("tree-of-8-nodes.topology.conf"), "t.conf");
  NamedMachine const found = machine_of(job, network);
  EXPECT_EQ(found.node_names, (Names{"n001", "n002", "n005"}));
  EXPECT_EQ(to_text(found.machine), to_text(parse_text("switch1:2 node:2,1 core:1,3,2")));
}

TEST(SlurmJob, RefusesNodesTheNetworkDoesNotHave) {
  SlurmJob const job{{"x"}, {1}, {}, "block"};
  Network const network = read_topology_conf(contents("tree-of-8-nodes.topology.conf"), "t.conf");
  EXPECT_EQ(
      complaint([&] { return machine_of(job, network); }),
      "expected a network that has node 'x', got one of 8 others"
  );
  EXPECT_NE(complaint([] { return machine_of(SlurmJob{{"x"}, {}, {}, ""}); }), "");
}

TEST(TopologyAddress, NamesSwitches) {
  EXPECT_EQ(
      switches_of_address(
          {{"SLURM_TOPOLOGY_ADDR", "top.s1.n7"},
           {"SLURM_TOPOLOGY_ADDR_PATTERN", "switch.switch.node"}}
      ),
      (Names{"top", "s1"})
  );
  EXPECT_EQ(
      switches_of_address({{"SLURM_TOPOLOGY_ADDR", "n7"}, {"SLURM_TOPOLOGY_ADDR_PATTERN", "node"}}),
      Names{}
  );
  EXPECT_EQ(switches_of_address({{"SLURM_TOPOLOGY_ADDR", "top.s1.n7"}}), Names{});
}

}  // namespace
}  // namespace espalier::machine
