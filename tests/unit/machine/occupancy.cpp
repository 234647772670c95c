// SPDX-License-Identifier: Apache-2.0

/// @file
/// How many ranks share how many processors, by what ranks say of themselves.

#include "espalier/machine/sources/occupancy.hpp"

#include <filesystem>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/machine/sources/cpu_set.hpp"

namespace espalier::machine {
namespace {

using Ranks = std::vector<ProcessorsOfRank>;

void add(Ranks& ranks, int count, ProcessorsOfRank const& rank) {
  ranks.insert(ranks.end(), static_cast<std::size_t>(count), rank);
}

TEST(Occupancy, CountsContainersOfOneMachineTogether) {
  Ranks ranks;
  add(ranks, 16, {.kernel = 1, .set = 5, .num = 2, .num_online = 2});
  EXPECT_EQ(fullest(ranks), (Occupancy{.num_ranks = 16, .num_processors = 2}));
}

TEST(Occupancy, IsThatOfTheFullestMachine) {
  Ranks ranks;
  add(ranks, 4, {.kernel = 1, .set = 5, .num = 4, .num_online = 4});
  add(ranks, 3, {.kernel = 2, .set = 5, .num = 2, .num_online = 2});
  add(ranks, 8, {.kernel = 3, .set = 5, .num = 16, .num_online = 16});
  EXPECT_EQ(fullest(ranks), (Occupancy{.num_ranks = 3, .num_processors = 2}));
}

/// A rank that is bound sees one processor, and the machine has one for each.
TEST(Occupancy, AddsUpWhatRanksAreBoundTo) {
  Ranks ranks;
  for (std::uint64_t core = 0; core < 48; ++core) {
    add(ranks, 1, {.kernel = 1, .set = core, .num = 1, .num_online = 64});
  }
  EXPECT_EQ(fullest(ranks), (Occupancy{.num_ranks = 48, .num_processors = 48}));
  for (ProcessorsOfRank& rank : ranks) {
    rank.set %= 2;  // packages
    rank.num = 12;
  }
  EXPECT_EQ(fullest(ranks), (Occupancy{.num_ranks = 48, .num_processors = 24}));
}

TEST(Occupancy, HasNoMoreProcessorsThanTheMachine) {
  Ranks ranks;
  add(ranks, 2, {.kernel = 1, .set = 1, .num = 4, .num_online = 4});
  add(ranks, 2, {.kernel = 1, .set = 2, .num = 3, .num_online = 4});
  EXPECT_EQ(fullest(ranks), (Occupancy{.num_ranks = 4, .num_processors = 4}));
  for (ProcessorsOfRank& rank : ranks) {
    rank.num_online = 0;
  }
  EXPECT_EQ(fullest(ranks), (Occupancy{.num_ranks = 4, .num_processors = 7})) << "nobody knows";
}

/// Two containers of one machine; their ranks may use all its processors, for so long.
TEST(Occupancy, HasNoMoreProcessorsThanQuotasAreWorth) {
  Ranks ranks;
  add(ranks, 4, {.kernel = 1, .set = 5, .num = 64, .num_online = 64, .group = 1, .quota = 2});
  add(ranks, 4, {.kernel = 1, .set = 5, .num = 64, .num_online = 64, .group = 2, .quota = 1.5});
  EXPECT_EQ(fullest(ranks), (Occupancy{.num_ranks = 8, .num_processors = 4}));
  for (ProcessorsOfRank& rank : ranks) {
    rank.num = rank.num_online = 2;
  }
  EXPECT_EQ(fullest(ranks), (Occupancy{.num_ranks = 8, .num_processors = 2}));
  for (ProcessorsOfRank& rank : ranks) {
    rank.num = rank.num_online = 64;
  }
  ranks.back().group = 3;
  ranks.back().quota = 0;
  EXPECT_EQ(fullest(ranks), (Occupancy{.num_ranks = 8, .num_processors = 64})) << "one is free";
}

TEST(Occupancy, IsUnknownIfARankDoesNotKnow) {
  Ranks ranks;
  add(ranks, 4, {.kernel = 1, .set = 5, .num = 4, .num_online = 4});
  add(ranks, 1, {});
  EXPECT_EQ(fullest(ranks), Occupancy{});
  EXPECT_EQ(fullest({}), Occupancy{});
}

TEST(Occupancy, ReadsWhatTheKernelSays) {
  std::filesystem::path const root =
      std::filesystem::path(testing::TempDir()) / "espalier_occupancy";
  std::filesystem::remove_all(root);
  ProcessorsOfRank const nothing = processors_of_rank(root);
  EXPECT_EQ(nothing.num_online, 0);
  EXPECT_EQ(nothing.num, CpuSet::allowed_here().size());
  std::filesystem::create_directories(root / "sys/devices/system/cpu");
  std::filesystem::create_directories(root / "proc/sys/kernel/random");
  std::ofstream(root / "sys/devices/system/cpu/online") << "0-63\n";
  std::ofstream(root / "proc/sys/kernel/random/boot_id") << "0d9f6e2a-1\n";
  ProcessorsOfRank const found = processors_of_rank(root);
  EXPECT_EQ(found.num_online, 64);
  EXPECT_NE(found.kernel, nothing.kernel);
  EXPECT_EQ(found.set, nothing.set);
  EXPECT_EQ(processors_of_rank(root).kernel, found.kernel);
  EXPECT_EQ(found.quota, 0);
  std::filesystem::create_directories(root / "proc/self/ns");
  std::filesystem::create_directories(root / "sys/fs/cgroup/job");
  std::ofstream(root / "proc/self/cgroup") << "0::/job\n";
  std::ofstream(root / "sys/fs/cgroup/job/cpu.max") << "150000 100000\n";
  std::filesystem::create_symlink("cgroup:[1]", root / "proc/self/ns/cgroup");
  ProcessorsOfRank const granted = processors_of_rank(root);
  EXPECT_EQ(granted.quota, 1.5);
  std::filesystem::remove(root / "proc/self/ns/cgroup");
  std::filesystem::create_symlink("cgroup:[2]", root / "proc/self/ns/cgroup");
  EXPECT_NE(processors_of_rank(root).group, granted.group) << "another container";
  std::ofstream(root / "sys/devices/system/cpu/online") << "many\n";
  EXPECT_EQ(processors_of_rank(root).num_online, 0);
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace espalier::machine
