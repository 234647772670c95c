// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/hwloc.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/text/text.hpp"

namespace espalier::machine {
namespace {

std::string contents(std::string const& name) {
  std::ifstream file(std::string(ESPALIER_TEST_DATA) + "/machines/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string replaced(std::string text, std::string const& old, std::string const& with) {
  std::size_t const place = text.find(old);
  EXPECT_NE(place, std::string::npos) << old;
  return text.replace(place, old.size(), with);
}

std::vector<int> from_0(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// The machine of a file as a text, and the processors of its cores in `cpus`.
std::string shape(std::string const& name, std::vector<int>* cpus = nullptr) {
  NodeMachine const node = machine_of(read_hwloc_xml(contents(name), name));
  if (cpus != nullptr) {
    *cpus = node.cpu_of_core;
  }
  return to_text(node.machine);
}

class Hwloc : public testing::Test {
protected:
  void SetUp() override {
    if (!has_hwloc()) {
      GTEST_SKIP() << "this build has no hwloc";
    }
  }
};

TEST_F(Hwloc, GivesLevelsFromTheOutsideIn) {
  std::vector<int> cpus;
  EXPECT_EQ(shape("2package-2l3-4core-2thread.xml", &cpus), "1n x 2s x 2l x 4c x 2t");
  EXPECT_EQ(cpus, from_0(32));
}

TEST_F(Hwloc, LeavesOutLevelsThatAddNothing) {
  EXPECT_EQ(shape("4package-1core.xml"), "1n x 4s x 1c");
  EXPECT_EQ(shape("captured-1package-1l3-2core.xml"), "1n x 2c");
}

TEST_F(Hwloc, TakesMemoriesOfACacheAsALevelInsideIt) {
  EXPECT_EQ(shape("2package-1l3-2numa-4core.xml"), "1n x 2s x 2m x 4c");
}

TEST_F(Hwloc, TakesMemoryOfSeveralPackagesAsNoLevel) {
  EXPECT_EQ(shape("1numa-2package-4core.xml"), "1n x 2s x 4c");
}

TEST_F(Hwloc, TakesMemoriesWithTheSameProcessorsAsOne) {
  NodeTree const tree = read_hwloc_xml(contents("2package-2memory-4core.xml"));
  EXPECT_EQ(to_text(machine_of(tree).machine), "1n x 2s x 4c");
  EXPECT_EQ(tree.processors[0].numa, tree.processors[3].numa);
  EXPECT_NE(tree.processors[3].numa, tree.processors[4].numa);
}

TEST_F(Hwloc, KeepsCoresOfDifferentKinds) {
  NodeTree const tree = read_hwloc_xml(contents("2core-2thread-beside-2core-1thread.xml"));
  Machine const machine = machine_of(tree).machine;
  EXPECT_EQ(to_text(machine), to_text(parse_text("node:1 core:4 thread:2,2,1,1")));
  EXPECT_EQ(tree.num_core_kinds, 2);
}

TEST_F(Hwloc, LeavesOutProcessorsThatAreNotAllowed) {
  std::string const xml = replaced(
      contents("2package-2l3-4core-2thread.xml"),
      "allowed_cpuset=\"0xffffffff\"",
      "allowed_cpuset=\"0x000f0005\""
  );
  NodeTree const tree = read_hwloc_xml(xml);
  NodeMachine const node = machine_of(tree);
  EXPECT_EQ(tree.num_disallowed, 26);
  EXPECT_EQ(node.cpu_of_core, (std::vector<int>{0, 2, 16, 17, 18, 19}));
  EXPECT_EQ(to_text(node.machine), to_text(parse_text("node:1 package:2 core:2,2 thread:1,1,2,2")));
}

TEST_F(Hwloc, SaysWhereXmlIsWrong) {
  for (std::string const text : {"", "<topology>", "8n x 2c"}) {
    try {
      static_cast<void>(read_hwloc_xml(text, "some.xml"));
      FAIL() << text;
    } catch (Error const& error) {
      EXPECT_EQ(error.code(), ErrorCode::format);
      EXPECT_EQ(
          std::string(error.what()),
          "some.xml: expected hwloc XML with processors, as lstopo --of xml writes it, got "
          "something else"
      );
    }
  }
}

TEST_F(Hwloc, ReadsThisNode) {
  NodeTree const tree = read_hwloc_here();
  CpuSet const allowed = CpuSet::allowed_here();
  NodeMachine const node = machine_of(tree);
  EXPECT_EQ(node.machine.num_cores(), static_cast<int>(tree.processors.size()));
  for (int const cpu : allowed.cpus()) {
    EXPECT_EQ(std::ranges::count(node.cpu_of_core, cpu), 1) << cpu;
  }
}

TEST(WithoutHwloc, SaysWhatToInstall) {
  if (has_hwloc()) {
    GTEST_SKIP() << "this build has hwloc";
  }
  EXPECT_THROW(static_cast<void>(read_hwloc_here()), Error);
  EXPECT_THROW(static_cast<void>(read_hwloc_xml("<topology/>")), Error);
}

}  // namespace
}  // namespace espalier::machine
