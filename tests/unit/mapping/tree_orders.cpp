// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/tree_orders.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/mapping/orders/binomial_steps.hpp"
#include "tests/unit/mapping/support.hpp"

namespace espalier::mapping {
namespace {

RttMatrix ra_levels() {
  return two_level(ra_groups(), 30.6, 32.8);
}

TEST(TreeOrders, ArePublishedOnesOfTwoLevels) {
  EXPECT_EQ(fastest_edge_first(ra_levels(), 0), (RankVector{0, 1, 3, 4, 2, 6, 5, 7}));
  EXPECT_EQ(channel_aware_as_published(ra_levels(), 2, 0), (RankVector{0, 3, 1, 6, 2, 5, 4, 7}));
}

TEST(TreeOrders, ArePublishedOnesOfTheRawMatrix) {
  EXPECT_EQ(fastest_edge_first(ra_matrix(), 0), (RankVector{0, 6, 5, 7, 3, 4, 2, 1}));
  EXPECT_EQ(channel_aware_as_published(ra_matrix(), 2, 0), (RankVector{0, 5, 7, 4, 3, 2, 1, 6}));
}

TEST(TreeOrders, HaveThePublishedPatternOfGroups) {
  std::vector<int> const fef{0, 1, 0, 1, 0, 1, 0, 1};
  std::vector<int> const cao{0, 0, 1, 1, 0, 0, 1, 1};
  std::vector<int> const first{0, 0, 0, 0, 1, 1, 1, 1};
  EXPECT_EQ(pattern_of(fastest_edge_first(ra_matrix(), 0), ra_groups()), fef);
  EXPECT_EQ(pattern_of(channel_aware_as_published(ra_matrix(), 2, 0), ra_groups()), cao);
  EXPECT_EQ(
      pattern_of(channel_aware(ra_matrix(), ra_groups(), {.across = 2}, 0), ra_groups()), cao
  );
  EXPECT_EQ(
      pattern_of(channel_aware(ra_matrix(), ra_groups(), {.across = 1}, 0), ra_groups()), first
  );
  EXPECT_EQ(
      pattern_of(channel_aware(ra_matrix(), ra_groups(), {.across = 4}, 0), ra_groups()), fef
  );
}

/// The published form crosses over the slowest edges, ours over the fastest: 0 -> 6 has 32.25.
TEST(ChannelAware, CrossesOverTheFastestEdges) {
  RankVector const published = channel_aware_as_published(ra_matrix(), 2, 0);
  RankVector const ours = channel_aware(ra_matrix(), ra_groups(), {.across = 2}, 0);
  EXPECT_DOUBLE_EQ(ra_matrix()(published[0], published[2]), 32.79);
  EXPECT_DOUBLE_EQ(ra_matrix()(ours[0], ours[2]), 32.25);
  EXPECT_EQ(ours, (RankVector{0, 5, 6, 7, 3, 2, 4, 1}));
}

TEST(TreeOrders, CrossInTheStepWhoseMessagesFitOnTheChannels) {
  EXPECT_EQ(crossing_step(8, 1), 1);
  EXPECT_EQ(crossing_step(8, 1.9), 1);
  EXPECT_EQ(crossing_step(8, 2), 2);
  EXPECT_EQ(crossing_step(8, 3), 2);
  EXPECT_EQ(crossing_step(32, 4), 3);
  EXPECT_EQ(crossing_step(32, 7.5), 3);
  EXPECT_EQ(crossing_step(32, std::numeric_limits<double>::infinity()), 5);
  EXPECT_EQ(crossing_step(5, 64), 3);
  EXPECT_EQ(crossing_step(1, 2), 1);
  EXPECT_THROW(static_cast<void>(crossing_step(8, 0.5)), Error);
  EXPECT_THROW(static_cast<void>(crossing_step(8, std::nan(""))), Error);
}

/// How many messages cross groups in each step.
std::vector<int> crossings(RankVector const& ranks, std::vector<int> const& groups) {
  std::vector<int> counts;
  for (auto const& messages : binomial_steps(ranks)) {
    counts.push_back(static_cast<int>(std::ranges::count_if(messages, [&](TreeMessage message) {
      return groups[static_cast<std::size_t>(message.from)] !=
             groups[static_cast<std::size_t>(message.to)];
    })));
  }
  return counts;
}

/// What a scatter takes in an order.
double cost(
    RttMatrix const& matrix,
    std::vector<int> const& groups,
    Channels const& channels,
    RankVector const& ranks
) {
  return completion_time(matrix, ranks, groups, channels, Payload::subtree);
}

/// The least cost of all orders with rank 0 in front: where there are two levels, only the group at
/// each position matters.
double
least_cost(RttMatrix const& matrix, std::vector<int> const& groups, Channels const& channels) {
  std::vector<int> pattern(groups.begin() + 1, groups.end());
  std::ranges::sort(pattern);
  double least = std::numeric_limits<double>::infinity();
  do {
    std::vector<RankVector> members(10);
    for (int rank = matrix.num_ranks() - 1; rank > 0; --rank) {
      members[static_cast<std::size_t>(groups[static_cast<std::size_t>(rank)])].push_back(rank);
    }
    RankVector ranks{0};
    for (int const group : pattern) {
      ranks.push_back(members[static_cast<std::size_t>(group)].back());
      members[static_cast<std::size_t>(group)].pop_back();
    }
    least = std::min(least, cost(matrix, groups, channels, ranks));
  } while (std::ranges::next_permutation(pattern).found);
  return least;
}

/// 6 + 6 cores in a tree over 12: no part of the tree has 6 ranks. The two that are too many cross
/// in the last step, over two channels. Where crossing is three times as slow, the middle of the
/// tree is a better place for it.
TEST(ChannelAware, SplitsTwelveCoresInTwoSixes) {
  std::vector<int> const groups{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  Channels const two{.across = 2};
  auto const at = [&](double far) { return two_level(groups, 1, far); };
  EXPECT_EQ(
      crossings(channel_aware(at(2), groups, two, 0), groups), (std::vector<int>{0, 1, 0, 2})
  );
  EXPECT_EQ(
      crossings(channel_aware(at(3), groups, two, 0), groups), (std::vector<int>{0, 0, 3, 0})
  );
  for (double const far : {2.0, 3.0}) {
    double const ours = cost(at(far), groups, two, channel_aware(at(far), groups, two, 0));
    EXPECT_LE(ours, cost(at(far), groups, two, channel_aware_as_published(at(far), 2, 0)));
    EXPECT_LE(ours, 1.2 * least_cost(at(far), groups, two));
  }
}

TEST(ChannelAware, ReachesThreeGroupsInTheLeastTime) {
  std::vector<int> const groups{0, 1, 2, 0, 1, 2, 0, 1, 2};
  RttMatrix const matrix = two_level(groups, 1, 3);
  Channels const two{.across = 2};
  RankVector const ranks = channel_aware(matrix, groups, two, 0);
  EXPECT_DOUBLE_EQ(cost(matrix, groups, two, ranks), least_cost(matrix, groups, two));
}

/// Against all orders, for two groups of any sizes and one to four channels: 1 % above the least in
/// the mean.
TEST(ChannelAware, IsNearTheLeastTimeOfAllOrders) {
  double worst = 1;
  double sum = 0;
  int count = 0;
  for (int num_ranks = 2; num_ranks <= 10; ++num_ranks) {
    for (int size = 1; size < num_ranks; ++size) {
      std::vector<int> groups(static_cast<std::size_t>(num_ranks), 1);
      std::fill_n(groups.begin(), size, 0);
      for (double const far : {1.5, 4.0}) {
        RttMatrix const matrix = two_level(groups, 1, far);
        for (double const across : {1.0, 2.0, 3.0, 4.0}) {
          Channels const channels{.across = across};
          double const ratio =
              cost(matrix, groups, channels, channel_aware(matrix, groups, channels, 0)) /
              least_cost(matrix, groups, channels);
          worst = std::max(worst, ratio);
          sum += ratio;
          ++count;
        }
      }
    }
  }
  EXPECT_LT(worst, 1.4);
  EXPECT_LT(sum / count, 1.02);
}

TEST(ChannelAware, IsFastestEdgeFirstInOneGroup) {
  std::vector<int> const groups(8, 7);
  EXPECT_EQ(
      channel_aware(ra_matrix(), groups, {.across = 2}, 3), fastest_edge_first(ra_matrix(), 3)
  );
}

TEST(TreeOrders, TakeOneRank) {
  RttMatrix const one(1, {0});
  EXPECT_EQ(fastest_edge_first(one, 0), RankVector{0});
  EXPECT_EQ(channel_aware_as_published(one, 2, 0), RankVector{0});
  EXPECT_EQ(channel_aware(one, std::vector{4}, {.across = 2}, 0), RankVector{0});
}

TEST(TreeOrders, RefuseARootThatIsNone) {
  std::vector<int> const groups(8, 0);
  for (int const root : {-1, 8}) {
    EXPECT_THROW(static_cast<void>(fastest_edge_first(ra_matrix(), root)), Error);
    EXPECT_THROW(static_cast<void>(channel_aware_as_published(ra_matrix(), 2, root)), Error);
    EXPECT_THROW(static_cast<void>(channel_aware(ra_matrix(), groups, {.across = 2}, root)), Error);
  }
  EXPECT_THROW(
      static_cast<void>(channel_aware(ra_matrix(), std::vector{0, 1}, {.across = 2}, 0)), Error
  );
}

/// A random machine: times, and which group each rank is in.
struct Case {
  RttMatrix matrix;
  std::vector<int> groups;
};

/// Times are whole numbers of a small range, so that there are many ties.
Case random_case(int num_ranks, std::mt19937_64& generator) {
  std::vector<int> groups;
  std::uint64_t const num_groups = 1 + generator() % 4;
  for (int rank = 0; rank < num_ranks; ++rank) {
    groups.push_back(static_cast<int>(generator() % num_groups));
  }
  std::vector<double> times;
  for (int const from : groups) {
    for (int const to : groups) {
      times.push_back((from == to ? 10.0 : 30.0) + static_cast<double>(generator() % 3));
    }
  }
  return {RttMatrix(num_ranks, times), groups};
}

std::vector<RankVector> all_orders(Case const& machine, double channels, int root) {
  return {
      fastest_edge_first(machine.matrix, root),
      channel_aware_as_published(machine.matrix, channels, root),
      channel_aware(machine.matrix, machine.groups, {.across = channels}, root),
  };
}

TEST(TreeOrders, ArePermutationsWithTheRootFirstAndTheSameEveryTime) {
  std::mt19937_64 generator(7);
  for (int num_ranks = 1; num_ranks <= 33; ++num_ranks) {
    Case const machine = random_case(num_ranks, generator);
    // Every root of small trees, some of larger ones.
    for (int root = 0; root < num_ranks; root += 1 + num_ranks / 9) {
      double const channels = 1 + static_cast<double>(generator() % 80) / 10;
      std::vector<RankVector> const orders = all_orders(machine, channels, root);
      for (RankVector const& ranks : orders) {
        EXPECT_EQ(refuses(ranks, num_ranks), "");
        EXPECT_EQ(ranks.front(), root);
      }
      EXPECT_EQ(orders, all_orders(machine, channels, root));
    }
  }
}

/// Every edge of the tree is the fastest of those that were left when it was chosen, and of equally
/// fast ones the one to the lowest rank.
TEST(FastestEdgeFirst, TakesTheNearestRankLeft) {
  std::mt19937_64 generator(11);
  for (int num_ranks = 2; num_ranks <= 33; ++num_ranks) {
    Case const machine = random_case(num_ranks, generator);
    RankVector const ranks = fastest_edge_first(machine.matrix, num_ranks / 2);
    std::set<int> left(ranks.begin() + 1, ranks.end());
    for (auto const& messages : binomial_steps(ranks)) {
      for (TreeMessage const& message : messages) {
        int const nearest = *std::ranges::min_element(left, {}, [&](int rank) {
          return machine.matrix(message.from, rank);
        });
        EXPECT_EQ(message.to, nearest) << "of " << num_ranks;
        left.erase(message.to);
      }
    }
    EXPECT_TRUE(left.empty());
  }
}

/// Groups of any number and size, over many machines.
TEST(ChannelAware, IsNeverSlowerThanTheOthersInTheModel) {
  std::mt19937_64 generator(13);
  int num_faster = 0;
  for (int num_ranks = 2; num_ranks <= 40; ++num_ranks) {
    for (double const across : {1.0, 2.0, 5.0}) {
      Case const machine = random_case(num_ranks, generator);
      Channels const channels{.across = across};
      auto const time = [&](RankVector const& ranks) {
        return cost(machine.matrix, machine.groups, channels, ranks);
      };
      double const ours = time(channel_aware(machine.matrix, machine.groups, channels, 0));
      double const published = time(channel_aware_as_published(machine.matrix, across, 0));
      EXPECT_LE(ours, time(standard_order(num_ranks, 0)) * (1 + 1e-9));
      EXPECT_LE(ours, time(fastest_edge_first(machine.matrix, 0)) * (1 + 1e-9));
      EXPECT_LE(ours, published * 1.05) << num_ranks << " ranks, " << across << " channels";
      num_faster += ours < published * 0.95 ? 1 : 0;
    }
  }
  EXPECT_GT(num_faster, 60);
}

/// Equal groups that are powers of two: one step crosses, with as many messages as there are
/// channels, and all messages before and after stay inside.
TEST(ChannelAware, CrossesOnceWhereGroupsArePowersOfTwo) {
  for (int const num_ranks : {2, 4, 8, 16, 32}) {
    std::vector<int> groups;
    for (int rank = 0; rank < num_ranks; ++rank) {
      groups.push_back(rank % 2);
    }
    RttMatrix const matrix = two_level(groups, 1, 2);
    for (int step = 1; step <= ceil_log2(num_ranks); ++step) {
      std::vector<int> expected(static_cast<std::size_t>(ceil_log2(num_ranks)));
      int const channels = 1 << (step - 1);
      expected[static_cast<std::size_t>(step - 1)] = channels;
      for (int root = 0; root < num_ranks; ++root) {
        EXPECT_EQ(
            crossings(
                channel_aware(matrix, groups, {.across = static_cast<double>(channels)}, root),
                groups
            ),
            expected
        );
      }
    }
  }
}

}  // namespace
}  // namespace espalier::mapping
