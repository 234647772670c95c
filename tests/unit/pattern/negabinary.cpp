// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/negabinary.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/integer.hpp"

namespace espalier::pattern {
namespace {

TEST(NegabinaryOnes, FollowTheSeries) {
  std::vector<std::int64_t> const expected{1, -1, 3, -5, 11, -21, 43, -85, 171, -341};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(negabinary_ones(static_cast<int>(i)), expected[i]);
  }
  EXPECT_EQ(negabinary_ones(61), (1 - (std::int64_t{1} << 62)) / 3);
}

TEST(NegabinaryPartner, IsMutualAndOfTheOtherParity) {
  for (int p = 2; p <= 1024; p += 2) {
    for (int step = 0; step < ceil_log2(p); ++step) {
      for (int rank = 0; rank < p; ++rank) {
        int const partner = negabinary_partner(p, rank, step);
        ASSERT_NE(partner % 2, rank % 2);
        ASSERT_EQ(negabinary_partner(p, partner, step), rank);
      }
    }
  }
}

/// How often each rank's contribution reaches rank 0 when everybody hands over all it has.
std::vector<int> arrivals(int p, std::vector<int> const& steps) {
  std::vector<int> count(static_cast<std::size_t>(p), 0);
  count[0] = 1;
  // Backwards from rank 0: who handed over in the last step, in the one before, ...
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    std::vector<int> next = count;
    for (int rank = 0; rank < p; ++rank) {
      auto const partner = static_cast<std::size_t>(negabinary_partner(p, rank, *step));
      next[partner] += count[static_cast<std::size_t>(rank)];
    }
    count = next;
  }
  return count;
}

TEST(NegabinaryPartner, BringsEverythingOnceToPowersOfTwoInBothOrders) {
  for (int q = 1; q <= 10; ++q) {
    std::vector<int> steps;
    for (int step = 0; step < q; ++step) {
      steps.push_back(step);
    }
    int const p = 1 << q;
    std::vector<int> const once(static_cast<std::size_t>(p), 1);
    EXPECT_EQ(arrivals(p, steps), once);
    std::ranges::reverse(steps);
    EXPECT_EQ(arrivals(p, steps), once);
  }
}

TEST(NegabinaryPartner, BringsEverythingToEvenNumbersOfRanks) {
  for (int p = 2; p <= 400; p += 2) {
    std::vector<int> steps;
    for (int step = ceil_log2(p) - 1; step >= 0; --step) {
      steps.push_back(step);
    }
    EXPECT_GE(std::ranges::min(arrivals(p, steps)), 1) << p;
    std::ranges::reverse(steps);
    EXPECT_GE(std::ranges::min(arrivals(p, steps)), 1) << p;
  }
}

void reach(int p, int rank, int num_steps, std::vector<int>& reached) {
  if (num_steps == 0) {
    reached.push_back(rank);
    return;
  }
  reach(p, rank, num_steps - 1, reached);
  reach(p, negabinary_partner(p, rank, num_steps - 1), num_steps - 1, reached);
}

TEST(NegabinaryRun, IsWhatFallingStepsReach) {
  int const p = 64;
  for (int num_steps = 0; num_steps <= 6; ++num_steps) {
    for (int rank = 0; rank < p; ++rank) {
      std::vector<int> reached;
      reach(p, rank, num_steps, reached);
      std::vector<int> expected;
      for (int i = 0; i < 1 << num_steps; ++i) {
        expected.push_back((negabinary_run_begin(p, rank, num_steps) + i) % p);
      }
      std::ranges::sort(reached);
      std::ranges::sort(expected);
      ASSERT_EQ(reached, expected) << num_steps << " steps from rank " << rank;
    }
  }
}

int ring_distance(int p, int a, int b) {
  int const d = std::abs(a - b);
  return std::min(d, p - d);
}

TEST(NegabinaryPartner, NeedsTwoThirdsOfTheHops) {
  int const p = 1024;
  int negabinary = 0;
  int binary = 0;
  for (int step = 0; step < 10; ++step) {
    negabinary += ring_distance(p, 0, negabinary_partner(p, 0, step));
    binary += ring_distance(p, 0, 1 << step);
  }
  EXPECT_EQ(negabinary, 682);
  EXPECT_EQ(binary, 1023);
}

/// Change in percent, rounded, of the messages that leave groups of consecutive ranks, against
/// partners rank xor 2^step.
int change_of_crossings(int p, int group) {
  int negabinary = 0;
  int binary = 0;
  for (int step = 0; step < ceil_log2(p); ++step) {
    for (int rank = 0; rank < p; ++rank) {
      negabinary += rank / group != negabinary_partner(p, rank, step) / group ? 1 : 0;
      binary += rank / group != (rank ^ (1 << step)) / group ? 1 : 0;
    }
  }
  double const percent = 100.0 * (negabinary - binary) / binary;
  return static_cast<int>(percent + (percent < 0 ? -0.5 : 0.5));
}

TEST(NegabinaryPartner, LeavesUnalignedGroupsLessOftenAndAlignedOnesMoreOften) {
  EXPECT_EQ(change_of_crossings(1024, 100), -11);
  EXPECT_EQ(change_of_crossings(1024, 180), -12);
  EXPECT_EQ(change_of_crossings(1024, 128), 11);
}

}  // namespace
}  // namespace espalier::pattern
