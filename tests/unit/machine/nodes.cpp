// SPDX-License-Identifier: Apache-2.0

/// @file
/// What one node says about itself: sets of processors, /sys, control groups, and trees of it.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/sources/cgroup.hpp"
#include "espalier/machine/sources/cpu_set.hpp"
#include "espalier/machine/sources/node_tree.hpp"
#include "espalier/machine/sources/sysfs.hpp"
#include "espalier/machine/text/text.hpp"
#include "espalier/machine/tree/nesting.hpp"

namespace espalier::machine {
namespace {

using Numbers = std::vector<int>;

TEST(CpuSet, ReadsAndWritesLists) {
  EXPECT_EQ(CpuSet::parse("0-3,8\n").cpus(), (Numbers{0, 1, 2, 3, 8}));
  EXPECT_EQ(CpuSet::parse("5,1-2,2").text(), "1-2,5");
  EXPECT_TRUE(CpuSet::parse(" \n").empty());
  EXPECT_EQ(CpuSet({7, 3, 3}).size(), 2);
  EXPECT_TRUE(CpuSet({7, 3}).contains(7));
  EXPECT_FALSE(CpuSet({7, 3}).contains(5));
}

TEST(CpuSet, RefusesOtherTexts) {
  for (char const* const text : {"a", "3-1", "1,", ",1", "1--2", "-1", "0-99999999"}) {
    EXPECT_THROW(static_cast<void>(CpuSet::parse(text)), Error) << text;
  }
}

TEST(CpuSet, KnowsWhereThisThreadMayRun) {
  EXPECT_FALSE(CpuSet::allowed_here().empty());
}

TEST(Nesting, CutsWhatReachesAcross) {
  Nesting const nesting = nest({
      {"node", {0, 0, 0, 0, 0, 0}},
      {"numa", {0, 0, 0, 1, 1, 1}},
      {"l3", {0, 0, 1, 1, 2, 2}},
      {"core", {0, 1, 2, 3, 4, 5}},
  });
  EXPECT_EQ(nesting.cut, std::vector<std::string>{"l3"});
  EXPECT_EQ(
      to_text(Machine(nesting.levels)), to_text(parse_text("node:1 numa:2 l3:2,2 core:2,1,1,2"))
  );
}

TEST(Nesting, PutsTogetherWhatIsScattered) {
  Nesting const nesting = nest({
      {"node", {0, 0, 0, 0}},
      {"package", {0, 1, 0, 1}},
      {"core", {0, 1, 2, 3}},
  });
  EXPECT_EQ(nesting.unit_of_core, (Numbers{0, 2, 1, 3}));
  EXPECT_EQ(to_text(Machine(nesting.levels)), "1n x 2s x 2c");
}

TEST(Nesting, LeavesOutSwitchesOfOneNodeEach) {
  Nesting const nesting = nest({
      {"switch", {0, 0, 1, 1}},
      {"node", {0, 0, 1, 1}},
      {"core", {0, 1, 2, 3}},
  });
  EXPECT_EQ(to_text(Machine(nesting.levels)), "2n x 2c");
}

TEST(NodeTree, RefusesNodesThatCannotBe) {
  EXPECT_THROW(static_cast<void>(machine_of(NodeTree{})), Error);
  NodeTree tree = NodeTree::of_cores(2);
  tree.processors[1].os_number = 0;
  EXPECT_THROW(static_cast<void>(machine_of(tree)), Error);
}

/// A root folder with files of a kernel.
class Kernel : public testing::Test {
protected:
  void SetUp() override {
    auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(testing::TempDir()) /
            ("espalier_kernel_" + std::string(test->name()));
    std::filesystem::remove_all(root_);
  }

  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(std::string const& path, std::string const& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }

  void write_cpu(int number, int package, std::string const& threads, std::string const& l3) const {
    std::string const cpu = "sys/devices/system/cpu/cpu" + std::to_string(number);
    write(cpu + "/topology/physical_package_id", std::to_string(package));
    write(cpu + "/topology/thread_siblings_list", threads);
    write(cpu + "/cache/index0/level", "1");
    write(cpu + "/cache/index0/shared_cpu_list", threads);
    write(cpu + "/cache/index1/level", "3");
    write(cpu + "/cache/index1/shared_cpu_list", l3);
  }

  /// 2 packages of 2 cores of 2 threads; second threads are processors 4-7.
  void write_eight_cpus() const {
    write("sys/devices/system/cpu/online", "0-7");
    for (int cpu = 0; cpu < 8; ++cpu) {
      int const core = cpu % 4;
      std::string const threads = std::to_string(core) + "," + std::to_string(core + 4);
      write_cpu(cpu, core / 2, threads, core < 2 ? "0-1,4-5" : "2-3,6-7");
    }
    write("sys/devices/system/node/online", "0-1");
    write("sys/devices/system/node/node0/cpulist", "0-1,4-5");
    write("sys/devices/system/node/node1/cpulist", "2-3,6-7");
  }

  std::filesystem::path root_;
};

TEST_F(Kernel, DescribesANode) {
  write_eight_cpus();
  NodeTree const tree = read_sysfs(root_);
  NodeMachine const node = machine_of(tree);
  EXPECT_EQ(tree.source, "sysfs");
  EXPECT_EQ(to_text(node.machine), "1n x 2s x 2c x 2t");
  EXPECT_EQ(node.cpu_of_core, (Numbers{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(tree.num_disallowed, 0);
  EXPECT_FALSE(tree.is_container);
}

TEST_F(Kernel, WithholdsProcessors) {
  write_eight_cpus();
  write("proc/self/cgroup", "0::/job/step");
  write("sys/fs/cgroup/job/step/cpuset.cpus.effective", "0-1");
  write("sys/fs/cgroup/job/step/cpu.max", "max 100000");
  write("sys/fs/cgroup/job/cpu.max", "150000 100000");
  NodeTree const tree = read_sysfs(root_);
  EXPECT_EQ(to_text(machine_of(tree).machine), "1n x 2c");
  EXPECT_EQ(tree.num_disallowed, 6);
  EXPECT_EQ(tree.cpu_quota, 1.5);
}

TEST_F(Kernel, LimitsGroupsOfTheFirstVersion) {
  write("proc/self/cgroup", "9:cpuset:/a\n3:cpu,cpuacct:/b\n0::/");
  write("sys/fs/cgroup/cpuset/a/cpuset.effective_cpus", "3,5");
  write("sys/fs/cgroup/cpu/b/cpu.cfs_quota_us", "50000");
  write("sys/fs/cgroup/cpu/b/cpu.cfs_period_us", "100000");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  write(".dockerenv", "");
  Confinement const expected{.cpus = CpuSet({3, 5}), .cpu_quota = 0.5, .is_container = true};
  EXPECT_EQ(read_confinement(root_), expected);
}

TEST_F(Kernel, LimitsNothingWithoutGroups) {
  EXPECT_EQ(read_confinement(root_), Confinement{});
}

TEST_F(Kernel, MakesDoWithLittle) {
  write("sys/devices/system/cpu/online", "0-2");
  NodeTree const tree = read_sysfs(root_);
  EXPECT_EQ(to_text(machine_of(tree).machine), "1n x 3c");
}

TEST_F(Kernel, IsMissing) {
  EXPECT_THROW(static_cast<void>(read_sysfs(root_)), Error);
}

TEST(Sysfs, DescribesThisNode) {
  NodeTree const tree = read_sysfs();
  CpuSet const allowed = CpuSet::allowed_here();
  for (int const cpu : allowed.cpus()) {
    EXPECT_EQ(std::ranges::count(tree.processors, cpu, &Processor::os_number), 1) << cpu;
  }
}

}  // namespace
}  // namespace espalier::machine
