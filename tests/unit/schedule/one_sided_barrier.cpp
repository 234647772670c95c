// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/one_sided_barrier.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::schedule {
namespace {

using Step = OneSidedBarrier::Step;

/// Whose coming each rank knows of at the end, if signals carry it; fails on signals that nobody
/// awaits.
std::vector<std::set<int>> known(OneSidedBarrier const& barrier, int num_ranks) {
  std::vector<std::set<int>> knows(static_cast<std::size_t>(num_ranks));
  for (int rank = 0; rank < num_ranks; ++rank) {
    knows[static_cast<std::size_t>(rank)].insert(rank);
  }
  for (int number = 0; number < barrier.num_steps(); ++number) {
    std::vector<std::set<int>> const before = knows;
    std::map<int, int> num_signals;
    std::map<int, int> num_awaited;
    for (int rank = 0; rank < num_ranks; ++rank) {
      for (Step const& step : barrier.steps_of(rank)) {
        if (step.number != number) {
          continue;
        }
        num_awaited[rank] += step.num_arrivals;
        for (int const peer : step.signals) {
          ++num_signals[peer];
          auto const& told = before[static_cast<std::size_t>(rank)];
          knows[static_cast<std::size_t>(peer)].insert(told.begin(), told.end());
        }
      }
    }
    for (int rank = 0; rank < num_ranks; ++rank) {
      EXPECT_EQ(num_signals[rank], num_awaited[rank]) << "rank " << rank << ", step " << number;
    }
  }
  return knows;
}

void expect_all_meet(int num_ranks, std::vector<int> const& node_of_rank) {
  OneSidedBarrier const barrier(num_ranks, node_of_rank);
  for (std::set<int> const& ranks : known(barrier, num_ranks)) {
    EXPECT_EQ(ranks.size(), static_cast<std::size_t>(num_ranks));
  }
}

TEST(OneSidedBarrier, LetsAllRanksKnowOfEachOther) {
  for (int p = 1; p <= 33; ++p) {
    expect_all_meet(p, {});
  }
}

TEST(OneSidedBarrier, LetsRanksOfNodesKnowOfEachOther) {
  for (int p = 1; p <= 33; ++p) {
    std::vector<int> pairs;
    std::vector<int> dealt;
    std::vector<int> uneven;
    for (int rank = 0; rank < p; ++rank) {
      pairs.push_back(rank / 2);
      dealt.push_back(rank % 3);
      uneven.push_back(rank * rank / 40);
    }
    std::map<int, int> numbers;
    for (int& node : uneven) {
      node = numbers.try_emplace(node, static_cast<int>(numbers.size())).first->second;
    }
    expect_all_meet(p, pairs);
    expect_all_meet(p, dealt);
    expect_all_meet(p, uneven);
  }
}

TEST(OneSidedBarrier, SendsFewSignalsBetweenNodes) {
  OneSidedBarrier const barrier(16, std::vector{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3});
  EXPECT_EQ(barrier.num_steps(), 4);
  int num_between = 0;
  for (int rank = 0; rank < 16; ++rank) {
    for (Step const& step : barrier.steps_of(rank)) {
      for (int const peer : step.signals) {
        num_between += peer / 4 != rank / 4 ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(num_between, 8);
}

}  // namespace
}  // namespace espalier::schedule
