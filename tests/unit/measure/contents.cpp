// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/contents.hpp"

#include <cstddef>
#include <set>

#include <gtest/gtest.h>

namespace espalier::measure {
namespace {

constexpr std::uint32_t stamp = 3;

TEST(Contents, DifferBetweenRanksPositionsAndStamps) {
  int num_equal = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    num_equal += content_byte(0, i, stamp) == content_byte(1, i, stamp) ? 1 : 0;
    num_equal += content_byte(0, i, stamp) == content_byte(0, i + 1, stamp) ? 1 : 0;
    num_equal += content_byte(0, i, stamp) == content_byte(0, i, stamp + 1) ? 1 : 0;
  }
  EXPECT_LT(num_equal, 3 * 1000 / 100);
}

TEST(Addends, AddUp) {
  for (std::size_t const i : {0U, 1U, 77U}) {
    double sum = 0;
    for (int num_ranks = 1; num_ranks <= 300; ++num_ranks) {
      sum += Addends::of_rank(num_ranks - 1, stamp).sum(i);
      ASSERT_EQ(Addends::of_first(num_ranks, stamp).sum(i), sum);
    }
  }
}

TEST(Addends, ShowRanksThatStandInForOthers) {
  std::set<double> own;
  for (int rank = 0; rank < 64; ++rank) {
    own.insert(Addends::of_rank(rank, stamp).sum(5));
  }
  EXPECT_GE(own.size(), 60U) << "a rank that is counted for another is seen";
  EXPECT_NE(Addends::of_rank(4, stamp).sum(5), Addends::of_rank(4, stamp).sum(6));
  EXPECT_NE(Addends::of_rank(4, stamp).sum(5), Addends::of_rank(4, stamp + 1).sum(5));
}

}  // namespace
}  // namespace espalier::measure
