// SPDX-License-Identifier: Apache-2.0

/// @file
/// Ranks that are together in two communicators have to count the same contests on each of them.

#include "espalier/plan/learning/contest_key.hpp"

#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::plan {
namespace {

std::uint64_t key(profile::Call call, std::vector<int> const& ranks, std::int64_t bytes = 0) {
  profile::Shape const shape{.num_ranks = static_cast<int>(ranks.size())};
  return contest_key(ranks, kind_of(call, shape, bytes));
}

TEST(ContestKey, DoesNotDependOnTheOrderOfRanks) {
  EXPECT_EQ(key(profile::Call::bcast, {0, 1, 4}), key(profile::Call::bcast, {4, 0, 1}));
  KindOfCalls const kind = kind_of(profile::Call::bcast, {.num_ranks = 3}, 0);
  EXPECT_EQ(contest_key({}, kind), contest_key({0, 1, 2}, kind)) << "all are those of the world";
}

/// Any three of a few ranks, and all calls: no two of them are taken for the same.
TEST(ContestKey, TellsCallsAndRanksApart) {
  constexpr int num_ranks = 30;
  std::set<std::uint64_t> keys;
  std::size_t num_contests = 0;
  for (profile::Call const call : profile::all_calls) {
    for (int other = 1; other < num_ranks; ++other) {
      for (int last = other + 1; last < num_ranks; ++last) {
        keys.insert(key(call, {0, other, last}));
        ++num_contests;
      }
    }
  }
  EXPECT_EQ(keys.size(), num_contests);
  EXPECT_NE(key(profile::Call::bcast, {0, 1}, 8), key(profile::Call::bcast, {0, 1}, 1024));
}

}  // namespace
}  // namespace espalier::plan
