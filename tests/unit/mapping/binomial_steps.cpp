// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/binomial_steps.hpp"

#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/choices/rank_order.hpp"
#include "espalier/base/error.hpp"
#include "espalier/mapping/orders/tree_orders.hpp"
#include "espalier/schedule/program.hpp"
#include "tests/unit/mapping/support.hpp"

namespace espalier::mapping {
namespace {

std::vector<int> const halves{0, 0, 0, 0, 1, 1, 1, 1};
Channels const two{.across = 2, .inside = 2};

/// Steps on a machine where a block takes `near` inside a group and `far` across.
std::vector<double> steps_of(RankVector const& ranks, double near, double far) {
  return step_times(two_level(halves, 2 * near, 2 * far), ranks, halves, two, Payload::subtree);
}

/// How often near and far enter: found from two machines, as times are sums of multiples.
std::pair<double, double> multiples(RankVector const& ranks) {
  auto const total = [&](double near, double far) {
    std::vector<double> const steps = steps_of(ranks, near, far);
    return std::accumulate(steps.begin(), steps.end(), 0.0);
  };
  double const far_share = total(1, 2.25) - total(1, 1.25);
  return {total(1, 1.25) - 1.25 * far_share, far_share};
}

/// [karlsson2012, table 4.6], in multiples of the times of one block near and far.
TEST(BinomialSteps, TakeThePublishedTimesOnTwoChipsWithTwoChannels) {
  RttMatrix const matrix = two_level(halves, 1, 2);
  EXPECT_EQ(multiples(standard_order(8, 0)), (std::pair{3.0, 4.0}));
  EXPECT_EQ(multiples(fastest_edge_first(matrix, 0)), (std::pair{6.0, 2.0}));
  EXPECT_EQ(multiples(channel_aware_as_published(matrix, 2, 0)), (std::pair{5.0, 2.0}));
  EXPECT_EQ(multiples(channel_aware(matrix, halves, two, 0)), (std::pair{5.0, 2.0}));
}

TEST(BinomialSteps, TakeThePublishedTimeInEachStep) {
  RttMatrix const matrix = two_level(halves, 1, 2);
  double const far = 1.25;
  EXPECT_EQ(steps_of(standard_order(8, 0), 1, far), (std::vector{4 * far, 2.0, 1.0}));
  EXPECT_EQ(steps_of(fastest_edge_first(matrix, 0), 1, far), (std::vector{4.0, 2.0, 2 * far}));
  EXPECT_EQ(
      steps_of(channel_aware(matrix, halves, two, 0), 1, far), (std::vector{4.0, 2 * far, 1.0})
  );
}

/// FEF beats the standard order where far > 1.5 near, CAO where far > near, CAO always beats FEF.
TEST(BinomialSteps, SayWhenAnOrderHelps) {
  RttMatrix const matrix = two_level(halves, 1, 2);
  auto const total = [&](RankVector const& ranks, double far) {
    std::vector<double> const steps = steps_of(ranks, 1, far);
    return std::accumulate(steps.begin(), steps.end(), 0.0);
  };
  RankVector const standard = standard_order(8, 0);
  RankVector const fef = fastest_edge_first(matrix, 0);
  RankVector const cao = channel_aware(matrix, halves, two, 0);
  EXPECT_GT(total(fef, 1.49), total(standard, 1.49));
  EXPECT_LT(total(fef, 1.51), total(standard, 1.51));
  EXPECT_LT(total(cao, 1.01), total(standard, 1.01));
  EXPECT_LT(total(cao, 1.01), total(fef, 1.01));
}

/// All messages on one machine without levels: (p - 1) blocks, and with two channels for all half
/// as much again for many ranks: 8 for p = 8, 48 for p = 32.
TEST(BinomialSteps, TakeThePublishedTimesOnOneChip) {
  for (auto const& [num_ranks, expected] : {std::pair{8, 8.0}, std::pair{32, 48.0}}) {
    std::vector<int> const one_group(static_cast<std::size_t>(num_ranks));
    RttMatrix const matrix = two_level(one_group, 2, 2);
    auto const total = [&, num_ranks = num_ranks](Channels const& channels) {
      std::vector<double> const steps =
          step_times(matrix, standard_order(num_ranks, 0), one_group, channels, Payload::subtree);
      return std::accumulate(steps.begin(), steps.end(), 0.0);
    };
    EXPECT_DOUBLE_EQ(total({}), num_ranks - 1);
    EXPECT_DOUBLE_EQ(total({.inside = 2}), expected);
  }
}

/// In a full tree whose steps have one time each nobody waits for nothing.
TEST(CompletionTime, IsTheSumOfTheStepsInTable4_6) {
  RttMatrix const matrix = two_level(halves, 2, 3);
  for (RankVector const& ranks :
       {standard_order(8, 0), fastest_edge_first(matrix, 0), channel_aware(matrix, halves, two, 0)
       }) {
    auto const steps = step_times(matrix, ranks, halves, two, Payload::subtree);
    EXPECT_DOUBLE_EQ(
        completion_time(matrix, ranks, halves, two, Payload::subtree),
        std::accumulate(steps.begin(), steps.end(), 0.0)
    );
  }
}

/// 6 + 6 cores in standard order: 0 -> 8 carries 4 blocks in 4, 4 -> 6 crosses with 2 in 6 after 4.
/// The steps take 4, 6 (0 -> 4 with 4 blocks is near), ...
TEST(CompletionTime, DoesNotWaitForOtherParts) {
  std::vector<int> const groups{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  RttMatrix const matrix = two_level(groups, 2, 6);
  RankVector const ranks = standard_order(12, 0);
  EXPECT_EQ(
      step_times(matrix, ranks, groups, {.across = 2}, Payload::subtree),
      (std::vector{12.0, 4.0, 6.0, 1.0})
  );
  // 0 -> 8 until 12, 0 -> 4 until 16, 4 -> 6 until 22, 6 -> 7 until 23.
  EXPECT_EQ(completion_time(matrix, ranks, groups, {.across = 2}, Payload::subtree), 23);
  EXPECT_EQ(completion_time(matrix, ranks, groups, {.across = 2}, Payload::whole), 3 + 1 + 3 + 1);
  EXPECT_EQ(
      completion_time(RttMatrix(1, {0}), RankVector{0}, std::vector{0}, {}, Payload::whole), 0
  );
}

TEST(BinomialSteps, OfABcastCarryOneBlockEach) {
  std::vector<double> const steps = step_times(
      two_level(halves, 2, 6), standard_order(8, 0), halves, {.across = 1}, Payload::whole
  );
  EXPECT_EQ(steps, (std::vector{3.0, 1.0, 1.0}));
}

/// The messages are those of the schedule that runs in this order: count, ends and blocks.
TEST(BinomialSteps, AreTheMessagesOfTheSchedule) {
  auto const scatter = algorithms::Choice::parse("scatter/binomial");
  for (int const num_ranks : {1, 2, 3, 5, 8, 12, 13}) {
    RankVector const ranks = random_order(num_ranks, num_ranks / 2, 5);
    algorithms::RankOrder const order(ranks);
    std::vector<std::vector<TreeMessage>> const steps = binomial_steps(ranks);
    for (int step = 0; step < static_cast<int>(steps.size()); ++step) {
      for (TreeMessage const& message : steps[static_cast<std::size_t>(step)]) {
        schedule::RankProgram const program = scatter.generate(order, ranks.front(), message.from);
        std::int64_t blocks = 0;
        for (schedule::Operation const& operation : program.operations) {
          bool const is_it = operation.kind == schedule::Kind::send &&
                             operation.peer == message.to && operation.round == step;
          blocks += is_it ? schedule::num_blocks(program.slots(operation)) : 0;
        }
        EXPECT_EQ(blocks, message.blocks) << num_ranks << " ranks, to " << message.to;
      }
    }
  }
}

TEST(BinomialSteps, ReachEveryRankOnce) {
  for (int num_ranks = 1; num_ranks <= 33; ++num_ranks) {
    std::vector<int> times_reached(static_cast<std::size_t>(num_ranks));
    for (auto const& messages : binomial_steps(random_order(num_ranks, 0, 3))) {
      for (TreeMessage const& message : messages) {
        ++times_reached[static_cast<std::size_t>(message.to)];
      }
    }
    std::vector<int> expected(static_cast<std::size_t>(num_ranks), 1);
    expected[0] = 0;
    EXPECT_EQ(times_reached, expected);
  }
}

TEST(BinomialSteps, RefuseWhatDoesNotFitTogether) {
  RttMatrix const matrix = two_level(halves, 1, 2);
  RankVector const standard = standard_order(8, 0);
  auto const attempt = [&](RankVector const& ranks, std::vector<int> const& groups, double across) {
    static_cast<void>(step_times(matrix, ranks, groups, {.across = across}, Payload::subtree));
  };
  EXPECT_NO_THROW(attempt(standard, halves, 1));
  EXPECT_THROW(attempt({0, 1, 2}, halves, 1), Error);
  EXPECT_THROW(attempt({0, 1, 2, 3, 4, 5, 6, 6}, halves, 1), Error);
  EXPECT_THROW(attempt(standard, {0, 1}, 1), Error);
  EXPECT_THROW(attempt(standard, halves, 0), Error);
  EXPECT_THROW(attempt(standard, halves, std::numeric_limits<double>::quiet_NaN()), Error);
}

}  // namespace
}  // namespace espalier::mapping
