// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/circulant.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/integer.hpp"

namespace espalier::pattern {
namespace {

TEST(CirculantSkips, HalveRoundingUp) {
  EXPECT_EQ(circulant_skips(1), (std::vector<int>{1}));
  EXPECT_EQ(circulant_skips(2), (std::vector<int>{1, 2}));
  EXPECT_EQ(circulant_skips(16), (std::vector<int>{1, 2, 4, 8, 16}));
  EXPECT_EQ(circulant_skips(17), (std::vector<int>{1, 2, 3, 5, 9, 17}));
  EXPECT_EQ(circulant_skips(22), (std::vector<int>{1, 2, 3, 6, 11, 22}));
}

TEST(CirculantSkips, GrowFromOneAndAtMostDouble) {
  for (int p = 2; p <= 5000; ++p) {
    std::vector<int> const skips = circulant_skips(p);
    ASSERT_EQ(skips.size(), static_cast<std::size_t>(ceil_log2(p)) + 1);
    ASSERT_EQ(skips.front(), 1);
    ASSERT_EQ(skips.back(), p);
    for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
      ASSERT_LT(skips[k], skips[k + 1]);
      ASSERT_LE(skips[k + 1], 2 * skips[k]);
    }
  }
}

/// What a rank does in a phase of q rounds, as the construction promises it.
struct Tables {
  std::vector<int> skips;
  std::vector<int> first_block;            // per rank
  std::vector<std::vector<int>> received;  // per rank and round

  explicit Tables(int p) : skips(circulant_skips(p)) {
    for (int r = 0; r < p; ++r) {
      first_block.push_back(circulant_first_block(skips, r));
      received.push_back(circulant_received(skips, r));
    }
  }
};

/// A rank gets its first block and all of -q .. -1 but that block minus q.
void check_received(Tables const& tables, std::size_t r) {
  auto const q = static_cast<int>(tables.skips.size()) - 1;
  int const first = tables.first_block[r];
  std::vector<int> expected{first};
  for (int block = -q; block < 0; ++block) {
    if (block != first - q) {
      expected.push_back(block);
    }
  }
  std::vector<int> found = tables.received[r];
  std::ranges::sort(found);
  std::ranges::sort(expected);
  ASSERT_EQ(found, expected) << "rank " << r << " of " << tables.skips.back();
}

/// A rank sends only what it got before: in the phase before, or earlier in this one.
void check_sent(Tables const& tables, std::size_t r) {
  auto const p = static_cast<std::size_t>(tables.skips.back());
  auto const q = static_cast<int>(tables.skips.size()) - 1;
  std::vector<int> held{tables.first_block[r] - q};
  for (std::size_t k = 0; k + 1 < tables.skips.size(); ++k) {
    std::size_t const to = (r + static_cast<std::size_t>(tables.skips[k])) % p;
    int const block = tables.received[to][k];
    if (r == 0) {
      ASSERT_EQ(block, static_cast<int>(k)) << "rank 0 of " << p;
    } else if (to != 0) {
      ASSERT_TRUE(std::ranges::count(held, block) == 1)
          << "rank " << r << " of " << p << ", round " << k;
    }
    held.push_back(tables.received[r][k]);
  }
}

void check_tables(int p) {
  Tables const tables(p);
  for (std::size_t r = 0; r < static_cast<std::size_t>(p); ++r) {
    if (r > 0) {
      check_received(tables, r);
    }
    check_sent(tables, r);
  }
}

TEST(CirculantBlocks, AreReceivedOnceAndHeldBeforeTheyAreSent) {
  for (int p = 2; p <= 1200; ++p) {
    ASSERT_NO_FATAL_FAILURE(check_tables(p));
  }
}

class CirculantBlocksNextTo : public testing::TestWithParam<int> {};

TEST_P(CirculantBlocksNextTo, PowersOfTwoAreRight) {
  for (int const p : {GetParam() - 1, GetParam(), GetParam() + 1}) {
    ASSERT_NO_FATAL_FAILURE(check_tables(p));
  }
}

INSTANTIATE_TEST_SUITE_P(
    , CirculantBlocksNextTo, testing::Values(2048, 4096, 8192, 16384, 32768, 65536, 131072)
);

TEST(CirculantBlocks, AreSentAsTheOtherSideReceivesThem) {
  for (int p = 2; p <= 100; ++p) {
    Tables const tables(p);
    for (int r = 0; r < p; ++r) {
      std::vector<int> const sent = circulant_sent(tables.skips, r);
      for (std::size_t k = 0; k < sent.size(); ++k) {
        int const to = (r + tables.skips[k]) % p;
        ASSERT_EQ(sent[k], tables.received[static_cast<std::size_t>(to)][k]);
      }
    }
  }
}

TEST(CirculantBlocks, ComeFirstFromTheSmallestSkip) {
  std::vector<int> const skips = circulant_skips(17);  // 1 2 3 5 9 17
  EXPECT_EQ(circulant_first_block(skips, 0), 5);
  EXPECT_EQ(circulant_first_block(skips, 9), 4);
  EXPECT_EQ(circulant_first_block(skips, 16), 1);  // 9 + 5 + 2
  EXPECT_EQ(circulant_first_block(skips, 15), 0);  // 9 + 5 + 1
}

TEST(CirculantBlocks, AreComputedAtAMillionRanks) {
  std::vector<int> const skips = circulant_skips(1'000'003);
  std::vector<int> const received = circulant_received(skips, 999'999);
  ASSERT_EQ(received.size(), 20U);
  EXPECT_EQ(std::ranges::count_if(received, [](int block) { return block >= 0; }), 1);
}

}  // namespace
}  // namespace espalier::pattern
