// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/levels.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/replay/setting.hpp"
#include "espalier/machine/tree/machine.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;

/// Messages between objects of the first level cost 10 + n, others 2 + n / 8.
Setting two_levels(char const* text, char const* placement) {
  auto machine = machine::Machine::parse(text);
  machine.set_link(0, {.latency = 10, .per_byte = 1});
  machine.set_link(1, {.latency = 2, .per_byte = 0.125});
  std::vector<int> cores = machine::place(machine, placement, machine.num_cores());
  return {.machine = machine, .core_of = cores};
}

double time_of(char const* choice, Setting const& setting, double num_bytes) {
  return levels_time(Choice::parse(choice), 0, setting, num_bytes);
}

TEST(LevelTime, IsHockneyWithOneLink) {
  for (int const p : {2, 3, 8, 13, 16}) {
    Setting setting = uniform({.latency = 3, .per_byte = 0.5}, p);
    setting.machine.set_speed({.per_combined_byte = 0.25});
    for (char const* text :
         {"allgather/bruck",
          "allgather/ring",
          "bcast/binomial",
          "alltoall/pairwise",
          "reduce_scatter/ring",
          "allreduce/ring"}) {
      Choice const choice = Choice::parse(text);
      EXPECT_DOUBLE_EQ(
          levels_time(choice, 0, setting, 8 * p), hockney_time(choice, 0, setting, 8 * p)
      ) << text
        << ' ' << p;
    }
  }
}

TEST(LevelTime, TakesTheSlowestLinkOfEachRound) {
  // Recursive doubling over 8 ranks: distances 1 and 2 stay in a node, distance 4 leaves it.
  EXPECT_DOUBLE_EQ(
      time_of("allgather/recursive_doubling", two_levels("node:2 core:4", "block"), 64),
      (2 + 1) + (2 + 2) + (10 + 4 * 8)
  );
  // Dealt to two nodes in turn, distance 1 leaves the node, the others do not.
  EXPECT_DOUBLE_EQ(
      time_of("allgather/recursive_doubling", two_levels("node:2 core:4", "cyclic"), 64),
      (10 + 8) + (2 + 2) + (2 + 4)
  );
}

TEST(LevelTime, AddsWhatOneRankSendsInARound) {
  // Both other ranks of a radix-3 dissemination are sent to in one round.
  EXPECT_DOUBLE_EQ(
      time_of("allgather/recursive_multiplying[k=3]", two_levels("node:1 core:3", "block"), 24),
      2 * (2 + 1)
  );
}

TEST(LevelTime, AddsWhatIsCombined) {
  Setting setting = two_levels("node:1 core:2", "block");
  double const moving = time_of("reduce/binomial", setting, 8);
  setting.machine.set_speed({.per_combined_byte = 0.5});
  EXPECT_DOUBLE_EQ(time_of("reduce/binomial", setting, 8), moving + 4);
}

TEST(Outermost, IsTheLinkThatSeparatesRanks) {
  Setting setting = two_levels("node:2 core:4", "block");
  EXPECT_EQ(outermost(setting).alpha, 10);
  setting.core_of = {0, 1, 2};
  EXPECT_EQ(outermost(setting).alpha, 2);
  setting.core_of = {3};
  EXPECT_EQ(outermost(setting).alpha, 0);
}

TEST(HockneyTime, HasNoLevels) {
  Setting const setting = two_levels("node:2 core:4", "block");
  EXPECT_DOUBLE_EQ(
      hockney_time(Choice::parse("allgather/recursive_doubling"), 0, setting, 64), 3 * 10 + 7 * 8
  );
}

}  // namespace
}  // namespace espalier::cost
