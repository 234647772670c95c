// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/tree_choice.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/tree/machine.hpp"
#include "tests/unit/mapping/support.hpp"

namespace espalier::mapping {
namespace {

/// Two chips of four cores, twice as far as inside: table 4.6 of [karlsson2012].
Distances two_chips(double far = 4) {
  std::vector<int> const groups{0, 0, 0, 0, 1, 1, 1, 1};
  return {
      .rtt = two_level(groups, 2, far),
      .group_of_rank = groups,
      .channels = {.across = 2, .inside = 2},
  };
}

TEST(TreeChoice, IsThePublishedBestOne) {
  ChosenOrder const best = choose_order("best", two_chips(), TreeCollective::scatter, 0);
  EXPECT_EQ(best.name, "cao");
  EXPECT_EQ(
      pattern_of(best.ranks, two_chips().group_of_rank), (std::vector<int>{0, 0, 1, 1, 0, 0, 1, 1})
  );
  // 3 m b1 + 4 m b2 against 5 m b1 + 2 m b2, where half of a round trip is m b.
  EXPECT_DOUBLE_EQ(best.standard_us, 3 * 1 + 4 * 2);
  EXPECT_DOUBLE_EQ(best.chosen_us, 5 * 1 + 2 * 2);
}

TEST(TreeChoice, IsTheStandardOrderWhereNothingIsGained) {
  for (auto const collective : {TreeCollective::scatter, TreeCollective::bcast}) {
    ChosenOrder const best = choose_order("best", two_chips(2), collective, 3);
    EXPECT_EQ(best.name, "standard");
    EXPECT_EQ(best.ranks, (RankVector{3, 4, 5, 6, 7, 0, 1, 2}));
    EXPECT_EQ(best.standard_us, best.chosen_us);
  }
}

TEST(TreeChoice, PutsTheRootInFront) {
  for (std::string const name :
       {"standard", "fef", "cao", "cao_published", "random", "smp", "round_robin", "folded", "best"
       }) {
    for (int root = 0; root < 8; ++root) {
      ChosenOrder const order = choose_order(name, two_chips(), TreeCollective::gather, root);
      EXPECT_EQ(order.ranks.front(), root);
      EXPECT_EQ(refuses(order.ranks, 8), "");
      EXPECT_TRUE(name == "best" || order.name == name);
    }
  }
}

TEST(TreeChoice, HoldsForGathersAsForScattersAndForReducesAsForBcasts) {
  auto const us = [](TreeCollective collective) {
    return choose_order("fef", two_chips(), collective, 0).chosen_us;
  };
  EXPECT_EQ(us(TreeCollective::gather), us(TreeCollective::scatter));
  EXPECT_EQ(us(TreeCollective::reduce), us(TreeCollective::bcast));
  EXPECT_LT(us(TreeCollective::bcast), us(TreeCollective::scatter));
}

TEST(TreeChoice, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(static_cast<void>(tree_collective("alltoall")), Error);
  EXPECT_EQ(tree_collective("reduce"), TreeCollective::reduce);
  EXPECT_THROW(check_order_name("fastest"), Error);
  EXPECT_THROW(
      static_cast<void>(choose_order("fef", two_chips(), TreeCollective::bcast, 8)), Error
  );
}

TEST(DescribedDistances, AreThoseOfTheLinks) {
  auto const machine = machine::Machine::parse(
      "2n[latency=50us,bandwidth=100MB/s,channels=3] x 2c[latency=1us,bandwidth=1GB/s]"
  );
  std::vector<int> const cores{0, 1, 2, 3};
  EXPECT_TRUE(has_times(machine));
  Distances const distances = described_distances(machine, cores, 1000);
  EXPECT_NEAR(distances.rtt(0, 2), 2 * (50 + 10), 1e-9);
  EXPECT_NEAR(distances.rtt(0, 1), 2 * (1 + 1), 1e-9);
  EXPECT_EQ(distances.channels.across, 3);
  EXPECT_EQ(distances.num_groups(), 2);
  auto const without = machine::Machine::parse("2n[latency=50us] x 2c[latency=1us]");
  EXPECT_EQ(described_distances(without, cores, 1000).channels.across, usual_channels);
  EXPECT_FALSE(has_times(machine::Machine::parse("2n x 2c")));
}

}  // namespace
}  // namespace espalier::mapping
