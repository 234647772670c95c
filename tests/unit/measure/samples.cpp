// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/samples.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/measure/common/repetition_order.hpp"

namespace espalier::measure {
namespace {

Samples samples_of(std::vector<double> const& native, std::vector<double> const& candidate) {
  Samples samples(2);
  for (std::size_t i = 0; i < native.size(); ++i) {
    samples.append(std::array{native[i], candidate[i]});
  }
  return samples;
}

TEST(Samples, KeepsRepetitionsInOrder) {
  Samples samples(2);
  samples.append(std::array{1.0, 10.0, 2.0, 20.0});
  samples.append(std::array{3.0, 30.0});
  EXPECT_EQ(samples.num_repetitions(), 3U);
  EXPECT_TRUE(std::ranges::equal(samples.of(0), std::array{1.0, 2.0, 3.0}));
  EXPECT_TRUE(std::ranges::equal(samples.of(1), std::array{10.0, 20.0, 30.0}));
}

TEST(Samples, ArePreciseWhenPairsAgree) {
  std::vector<double> native(50);
  std::iota(native.begin(), native.end(), 1.0);
  std::vector<double> ours = native;
  for (double& time : ours) {
    time *= 0.8;
  }
  EXPECT_TRUE(samples_of(native, ours).are_precise(0.01))
      << "times change fiftyfold, but each pair has the same ratio";
}

TEST(Samples, AreNotPreciseWhenPairsDisagree) {
  std::vector<double> const native(50, 1.0);
  std::vector<double> ours(50, 0.5);
  std::fill(ours.begin(), ours.begin() + 25, 1.5);
  EXPECT_FALSE(samples_of(native, ours).are_precise(0.01));
}

TEST(Samples, SpendNothingOnWhatIsClearlySlower) {
  std::vector<double> const native(50, 1.0);
  std::vector<double> ours(50, 2.0);
  std::fill(ours.begin(), ours.begin() + 25, 4.0);
  EXPECT_TRUE(samples_of(native, ours).are_precise(0.001));
}

TEST(MedianInterval, AgreesWithTablesOfTheSignTest) {
  EXPECT_EQ(median_interval(20).low, 5U);
  EXPECT_EQ(median_interval(20).high, 14U);
  EXPECT_EQ(median_interval(100).low, 39U);
  EXPECT_EQ(median_interval(100).high, 60U);
}

TEST(MedianInterval, IsTheRangeOfFewValues) {
  for (std::size_t count = 1; count < 6; ++count) {
    EXPECT_EQ(median_interval(count).low, 0U) << count;
    EXPECT_EQ(median_interval(count).high, count - 1) << count;
  }
}

TEST(RepetitionOrder, VisitsEveryCandidateOnce) {
  RepetitionOrder order(3, 5);
  for (int repetition = 0; repetition < 20; ++repetition) {
    auto const positions = order.next();
    EXPECT_EQ(std::set(positions.begin(), positions.end()), (std::set<std::size_t>{0, 1, 2, 3, 4}));
  }
}

TEST(RepetitionOrder, IsTheSameOnAllRanks) {
  RepetitionOrder one(11, 7);
  RepetitionOrder other(11, 7);
  for (int repetition = 0; repetition < 20; ++repetition) {
    EXPECT_TRUE(std::ranges::equal(one.next(), other.next()));
  }
}

TEST(RepetitionOrder, PutsEveryCandidateEverywhereEquallyOften) {
  constexpr int num_repetitions = 6000;
  std::array<std::array<int, 3>, 3> counts{};
  RepetitionOrder order(1, 3);
  for (int repetition = 0; repetition < num_repetitions; ++repetition) {
    auto const positions = order.next();
    for (std::size_t place = 0; place < 3; ++place) {
      ++counts[place][positions[place]];
    }
  }
  for (auto const& place : counts) {
    for (int const count : place) {
      EXPECT_NEAR(count, num_repetitions / 3, 150) << "four standard deviations";
    }
  }
}

}  // namespace
}  // namespace espalier::measure
