// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/job/discovery.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/machine/sources/topology_conf.hpp"
#include "espalier/machine/text/text.hpp"
#include "tests/support/jobs.hpp"

namespace espalier::machine {
namespace {

using test::job_on;
using test::node_tree;

using Numbers = std::vector<int>;
using Texts = std::vector<std::string>;

std::string finding(Discovery const& discovery, std::string_view kind) {
  auto const found = std::ranges::find(discovery.findings, kind, &Finding::kind);
  return found == discovery.findings.end() ? "" : found->text;
}

Texts kinds(Discovery const& discovery) {
  Texts result;
  for (Finding const& it : discovery.findings) {
    result.push_back(it.kind);
  }
  return result;
}

std::string same(std::string_view text) {
  return to_text(parse_text(text));
}

TEST(Discovery, FindsBoundRanksOnTheirCores) {
  JobView const job =
      job_on(node_tree(2, 4), {0, 0, 0, 0, 1, 1, 1, 1}, {"0", "1", "4", "5", "0", "1", "2", "7"});
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("2n x 2s x 2l x 2c"));
  EXPECT_EQ(found.core_of_rank, (Numbers{0, 1, 4, 5, 8, 9, 10, 15}));
  EXPECT_EQ(found.node_names, (Texts{"n0", "n1"}));
  EXPECT_EQ(found.placement, "block");
  EXPECT_EQ(kinds(found), Texts{});
}

TEST(Discovery, LeavesOutLevelsThatRanksDoNotStayIn) {
  JobView const job = job_on(node_tree(2, 4), {0, 1, 0, 1}, {"0-7", "0-7", "0-7", "0-7"});
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("2n x 8c"));
  EXPECT_EQ(found.core_of_rank, (Numbers{0, 8, 1, 9}));
  EXPECT_EQ(found.placement, "cyclic");
  EXPECT_EQ(
      finding(found, "unbound"),
      "all 4 ranks may run on every core of the node: levels package, numa and l3 are not used; "
      "bind ranks, as with mpirun --bind-to core"
  );
}

TEST(Discovery, KeepsLevelsThatRanksAreBoundTo) {
  JobView const job = job_on(node_tree(2, 4), {0, 0, 0, 0}, {"0-3", "4-7", "0-3", "4-7"});
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("1n x 2s x 4c"));
  EXPECT_EQ(found.core_of_rank, (Numbers{0, 4, 1, 5}));
  EXPECT_EQ(
      finding(found, "loosely_bound"),
      "all 4 ranks may run on several cores that other ranks may use too: level l3 is not used; "
      "bind ranks to cores of their own"
  );
}

TEST(Discovery, SaysThatCoresAreGuessedWhereNoLevelIsLost) {
  JobView const job = job_on(NodeTree::of_cores(2), {0, 0}, {"0-1", "0-1"});
  JobView hardware = job;
  hardware.trees["tree"].source = "sysfs";
  Discovery const found = discover(hardware);
  EXPECT_EQ(to_text(found.machine), same("1n x 2c"));
  EXPECT_EQ(
      finding(found, "unbound"),
      "all 2 ranks may run on every core of the node: which core a rank has is a guess; "
      "bind ranks, as with mpirun --bind-to core"
  );
}

TEST(Discovery, SeatsHybridRanksOnTheirOwnCores) {
  JobView const job = job_on(node_tree(2, 4), {0, 0, 0, 0}, {"0-1", "2-3", "4-5", "6-7"});
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("1n x 2s x 2l x 2c"));
  EXPECT_EQ(found.core_of_rank, (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(kinds(found), Texts{});
}

TEST(Discovery, SaysWhenRanksReachAcrossCaches) {
  JobView const job = job_on(node_tree(2, 4), {0, 0}, {"0-3", "4-7"});
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("1n x 2s x 4c"));
  EXPECT_EQ(
      finding(found, "wide"),
      "all 2 ranks may run on several NUMA nodes or caches, though no other rank is there: level "
      "l3 "
      "is not used"
  );
}

TEST(Discovery, TakesCoresWhereRanksHaveAllTheirThreads) {
  JobView const job = job_on(node_tree(1, 2, 2), {0, 0}, {"0,2", "1,3"});
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("1n x 2c"));
  EXPECT_EQ(found.core_of_rank, (Numbers{0, 1}));
  EXPECT_EQ(kinds(found), Texts{});
}

TEST(Discovery, TakesThreadsWhereRanksHaveOneEach) {
  JobView const job = job_on(node_tree(1, 2, 2), {0, 0, 0}, {"0", "2", "3"});
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("1n x 2c x 2t"));
  EXPECT_EQ(found.core_of_rank, (Numbers{0, 1, 3}));
}

TEST(Discovery, GivesRanksOfACoreAPlaceEach) {
  JobView const job = job_on(node_tree(1, 2), {0, 0, 0, 0, 0}, {"0", "0", "1", "1", "0"});
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("node:1 core:2 thread:3,2"));
  EXPECT_EQ(found.core_of_rank, (Numbers{0, 1, 3, 4, 2}));
  EXPECT_EQ(
      finding(found, "oversubscribed"),
      "there are more ranks than cores on node n0 (5 ranks on 2 cores): each rank has a place of "
      "its own in level thread, and times include waiting for a core"
  );
}

TEST(Discovery, DoesNotGuessWhichRanksShareACore) {
  JobView const job = job_on(node_tree(1, 2), {0, 0, 0, 0, 0}, {"0-1", "0-1", "0-1", "0-1", "0-1"});
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("1n x 5t"));
  EXPECT_EQ(kinds(found), (Texts{"unbound", "oversubscribed"}));
}

TEST(Discovery, SaysWhenABindingIsCareless) {
  JobView const job = job_on(node_tree(2, 2), {0, 0}, {"1", "1"});
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("node:1 package:2 core:2,2 thread:1,2,1,1"));
  EXPECT_EQ(
      finding(found, "same_core"),
      "ranks on node n0 are bound to the same core although others are free: each rank has a place "
      "of its own in level thread, and times include waiting for a core; look at the binding"
  );
}

TEST(Discovery, GivesTheLeastFreeRankItsCoreFirst) {
  JobView const job = job_on(node_tree(1, 2), {0, 0}, {"0-1", "0"});
  EXPECT_EQ(discover(job).core_of_rank, (Numbers{1, 0}));
}

TEST(Discovery, RecognisesFoldedAndArbitraryRanks) {
  Texts const free(8, "0-3");
  EXPECT_EQ(discover(job_on(node_tree(1, 4), {0, 1, 2, 3, 3, 2, 1, 0}, free)).placement, "folded");
  EXPECT_EQ(
      discover(job_on(node_tree(1, 4), {0, 1, 1, 0, 0, 0, 1, 1}, free)).placement, "arbitrary"
  );
}

TEST(Discovery, RecognisesBlocksOnNodesThatAreNotFull) {
  EXPECT_EQ(discover(job_on(node_tree(1, 4), {0, 0, 1}, {"0", "1", "0"})).placement, "block");
}

TEST(Discovery, TellsNodesApartByMemory) {
  JobView job = job_on(node_tree(1, 2), {0, 0, 1, 1}, {"0", "1", "0", "1"});
  for (RankView& view : job.ranks) {
    view.processor_name = "localhost";
  }
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("2n x 2c"));
  EXPECT_EQ(
      finding(found, "same_name"),
      "ranks 0,2 have the same processor name 'localhost' but share no memory: they count as being "
      "on different nodes, since their messages do not go through memory"
  );
}

TEST(Discovery, KeepsRanksThatShareMemoryTogether) {
  JobView job = job_on(node_tree(1, 2), {0, 0}, {"0", "1"});
  job.ranks[1].processor_name = "other";
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("1n x 2c"));
  EXPECT_EQ(
      finding(found, "several_names"),
      "ranks 0-1 share memory but have the processor names 'n0' and 'other': they count as being "
      "on "
      "one node, since memory cannot be shared across nodes"
  );
}

TEST(Discovery, NamesNodesWithoutName) {
  JobView job = job_on(node_tree(1, 2), {0, 1}, {"0", "0"});
  job.ranks[1].processor_name = "";
  Discovery const found = discover(job);
  EXPECT_EQ(found.node_names, (Texts{"n0", "node1"}));
  EXPECT_EQ(
      finding(found, "no_name"),
      "there is no processor name on rank 1: nodes are told apart by shared memory alone, and "
      "cannot "
      "be found in a machine file by name"
  );
}

TEST(Discovery, SaysThatNodesDiffer) {
  JobView job = job_on(node_tree(1, 4), {0, 0, 1}, {"0", "1", "0"});
  job.trees["small"] = node_tree(1, 2);
  job.ranks[2].tree = "small";
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), to_text(parse_text("node:2 l3:2,1 core:2")));
  EXPECT_EQ(
      finding(found, "different_nodes"),
      "nodes differ (node n1 2c and node n0 2l x 2c): the machine is uneven, and formulas for "
      "equal "
      "nodes do not hold"
  );
  EXPECT_EQ(
      finding(found, "uneven_ranks"),
      "nodes have between 1 and 2 ranks: formulas for equal nodes do not hold"
  );
}

TEST(Discovery, SaysWhatAGroupOfProcessesMayUse) {
  NodeTree tree = node_tree(1, 4);
  tree.num_disallowed = 12;
  tree.cpu_quota = 1.5;
  tree.is_container = true;
  tree.num_core_kinds = 2;
  Discovery const found = discover(job_on(tree, {0, 0}, {"0", "1"}));
  EXPECT_EQ(kinds(found), (Texts{"container", "disallowed", "quota", "core_kinds"}));
  EXPECT_EQ(
      finding(found, "disallowed"),
      "on node n0 12 of 16 processors may not be used (cgroup): they are left out of the machine"
  );
  EXPECT_EQ(
      finding(found, "quota"),
      "on node n0 a cgroup grants the time of 1.5 of 4 processors to 2 ranks: ranks are stopped "
      "now "
      "and then, and times scatter"
  );
}

TEST(Discovery, SaysThatOneRankIsNotEnough) {
  Discovery const found = discover(job_on(node_tree(1, 1), {0}, {"0"}));
  EXPECT_EQ(kinds(found), Texts{"one_rank"});
  EXPECT_EQ(found.placement, "block");
}

TEST(Discovery, DoesNotBelieveHardwareInASimulation) {
  JobView job = job_on(node_tree(2, 4), {0, 0, 1}, {"0-7", "0-7", "0-7"});
  job.is_simulated = true;
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), to_text(parse_text("node:2 core:2,1")));
  EXPECT_EQ(kinds(found), (Texts{"simulated", "uneven_ranks"}));
}

TEST(Discovery, GivesEachRankACoreWhereNothingIsKnown) {
  JobView job = job_on(node_tree(2, 4), {0, 0}, {"0", "5"});
  job.ranks[0].tree = "";
  job.ranks[0].warning = "no hwloc";
  Discovery const found = discover(job);
  EXPECT_EQ(to_text(found.machine), same("1n x 2c"));
  EXPECT_EQ(finding(found, "warning"), "rank 0: no hwloc");
  EXPECT_EQ(
      finding(found, "unknown_cores"),
      "nothing is known about the cores of node n0: each rank counts as a core, without levels "
      "inside the node"
  );
}

TEST(Discovery, BelievesMemoryMoreThanTheLauncher) {
  JobView job = job_on(node_tree(1, 2), {0, 1}, {"0", "0"});
  for (RankView& view : job.ranks) {
    view.launcher = "openmpi";
    view.num_ranks = 2;
    view.num_local = 2;
  }
  EXPECT_EQ(
      finding(discover(job), "launcher"),
      "openmpi says that 2 ranks run on the node of rank 0, 1 share its memory: shared memory is "
      "believed, since messages go by it"
  );
  // Some ranks of a larger job.
  for (RankView& view : job.ranks) {
    view.num_ranks = 8;
  }
  EXPECT_EQ(finding(discover(job), "launcher"), "");
}

constexpr auto two_switches = "SwitchName=a Nodes=n[0,2]\nSwitchName=b Nodes=n[1,3]\n";

TEST(Discovery, PutsNodesOfASwitchTogether) {
  Network const network = read_topology_conf(two_switches, "t.conf");
  JobView const job = job_on(node_tree(1, 1), {0, 1, 2, 3}, {"0", "0", "0", "0"});
  Discovery const found = discover(job, network);
  EXPECT_EQ(to_text(found.machine), same("2w x 2n x 1c"));
  EXPECT_EQ(found.node_names, (Texts{"n0", "n2", "n1", "n3"}));
  EXPECT_EQ(found.core_of_rank, (Numbers{0, 2, 1, 3}));
}

TEST(Discovery, TakesSwitchesThatRanksKnow) {
  JobView job = job_on(node_tree(1, 1), {0, 1, 2, 3}, {"0", "0", "0", "0"});
  for (std::size_t rank = 0; rank < 4; ++rank) {
    job.ranks[rank].switches = {"top", rank % 2 == 0 ? "a" : "b"};
  }
  EXPECT_EQ(to_text(discover(job).machine), same("2w x 2n x 1c"));
}

TEST(Discovery, SaysThatTheNetworkHasOtherNodes) {
  Network const network = read_topology_conf(two_switches, "t.conf");
  JobView job = job_on(node_tree(1, 1), {0, 1}, {"0", "0"});
  job.ranks[1].processor_name = "x";
  Discovery const found = discover(job, network);
  EXPECT_EQ(to_text(found.machine), same("2n x 1c"));
  EXPECT_EQ(
      finding(found, "unknown_nodes"),
      "the description of the network has no node x: switch levels are not used"
  );
}

TEST(Discovery, ServesManyRanks) {
  Numbers node_of_rank;
  Texts allowed;
  for (int rank = 0; rank < 4096; ++rank) {
    node_of_rank.push_back(rank / 64);
    allowed.push_back(std::to_string(rank % 64));
  }
  Discovery const found = discover(job_on(node_tree(2, 32), node_of_rank, allowed));
  EXPECT_EQ(to_text(found.machine), same("64n x 2s x 16l x 2c"));
  EXPECT_EQ(found.core_of_rank.back(), 4095);
}

TEST(Discovery, RefusesContradictions) {
  EXPECT_THROW(static_cast<void>(discover(JobView{})), Error);
  JobView job = job_on(node_tree(1, 2), {0, 0}, {"0", "1"});
  job.ranks[0].shared_group = 1;
  job.ranks[1].shared_group = 1;
  EXPECT_THROW(static_cast<void>(discover(job)), Error);
  job = job_on(node_tree(1, 2), {0}, {"0"});
  job.trees.clear();
  EXPECT_THROW(static_cast<void>(discover(job)), Error);
}

TEST(JobView, KeepsEverythingInJson) {
  JobView job = job_on(node_tree(2, 2, 2), {0, 0, 1}, {"0-3", "", "0,5"});
  job.ranks[1].launcher = "hydra";
  job.ranks[1].num_local = 2;
  job.ranks[1].num_ranks = 3;
  job.ranks[2].switches = {"a", "b"};
  job.ranks[2].warning = "no";
  job.trees["tree"].cpu_quota = 1.5;
  job.is_simulated = true;
  EXPECT_EQ(job_view_from_json(to_json(job)), job);
}

TEST(JobView, RefusesOtherJson) {
  nlohmann::json json = to_json(job_on(node_tree(1, 1), {0}, {"0"}));
  json["version"] = 2;
  EXPECT_THROW(static_cast<void>(job_view_from_json(json)), Error);
  json = to_json(job_on(node_tree(1, 1), {0}, {"0"}));
  json["trees"]["tree"]["processors"][0] = {1, 2};
  EXPECT_THROW(static_cast<void>(job_view_from_json(json)), Error);
  json = to_json(job_on(node_tree(1, 1), {0}, {"0"}));
  json.erase("trees");
  EXPECT_THROW(static_cast<void>(job_view_from_json(json)), Error);
}

class Comparison : public testing::Test {
protected:
  Texts against(std::string_view machine, Texts const& names = {}) const {
    return compare(parse_text(machine), names, found_);
  }

private:
  Discovery found_ = discover(job_on(node_tree(2, 2), {0, 0, 1, 1}, {"0", "2", "0", "2"}));
};

TEST_F(Comparison, AcceptsTheSameMachineAndLargerOnes) {
  EXPECT_EQ(against("2n x 2s x 2c"), Texts{});
  EXPECT_EQ(against("5n x 2s x 2c"), Texts{});
  EXPECT_EQ(against("4w x 2n x 4c"), Texts{});
  EXPECT_EQ(against("3n x 2s x 2c", {"n1", "x", "n0"}), Texts{});
  EXPECT_EQ(against("node:3 package:1,2,2 core:1,2,2,2,2", {"x", "n0", "n1"}), Texts{});
}

TEST_F(Comparison, NamesWhatContradicts) {
  EXPECT_EQ(against("1n x 2s x 2c"), Texts{"the machine has 1 node, the job runs on 2"});
  EXPECT_EQ(
      against("2n x 2s x 2c", {"n0", "x"}),
      Texts{"the job runs on node n1, which the machine does not have"}
  );
  EXPECT_EQ(
      against("2n x 1c"),
      (Texts{
          "node n0 has 1 core in the machine, 2 ranks of the job run there",
          "level core: node n0 has 1 in the machine, 4 in the running job"
      })
  );
  EXPECT_EQ(
      against("2n x 4s x 1c"),
      Texts{"level package: node n0 has 4 in the machine, 2 in the running job"}
  );
  EXPECT_EQ(
      against("node:2 package:2,3 core:2", {"n0", "n1"}),
      (Texts{
          "level package: node n1 has 3 in the machine, 2 in the running job",
          "level core: node n1 has 6 in the machine, 4 in the running job"
      })
  );
}

}  // namespace
}  // namespace espalier::machine
