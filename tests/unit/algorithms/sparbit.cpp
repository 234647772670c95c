// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

Choice sparbit(int batch) {
  return Choice::parse("allgather/sparbit[batch=" + std::to_string(batch) + "]");
}

/// Blocks that a rank sends per round, as the paper has them: a bit mask of the distances at which
/// one block is ignored, and a counter of the blocks held.
std::vector<int> sent_per_round_by_mask(int p) {
  std::vector<int> result;
  int const lowest = std::countr_zero(static_cast<unsigned>(p));
  unsigned const mask = (~(static_cast<unsigned>(p) >> lowest) | 1U) << lowest;
  int held = 1;
  for (int round = ceil_log2(p); round-- > 0;) {
    int const ignored = (mask & (1U << round)) != 0 ? 1 : 0;
    result.push_back(held - ignored);
    held = 2 * held - ignored;
  }
  EXPECT_EQ(held, p);
  return result;
}

std::vector<int> sent_per_round(schedule::RankProgram const& program) {
  std::vector<int> result(static_cast<std::size_t>(program.num_rounds()), 0);
  for (schedule::Operation const& operation : program.operations) {
    if (operation.kind == schedule::Kind::send) {
      result[static_cast<std::size_t>(operation.round)] +=
          static_cast<int>(num_blocks(program.slots(operation)));
    }
  }
  return result;
}

TEST(Sparbit, SendsWhatTheMaskOfThePaperSays) {
  Choice const choice = sparbit(0);
  for (int p = 1; p <= 70000; ++p) {
    std::vector<int> const sent = sent_per_round(choice.generate(p, 0, p / 2));
    ASSERT_EQ(sent, sent_per_round_by_mask(p)) << "p = " << p;
    ASSERT_EQ(std::accumulate(sent.begin(), sent.end(), 0), p - 1) << "p = " << p;
    ASSERT_TRUE(std::ranges::is_sorted(sent)) << "p = " << p;
    ASSERT_TRUE(p == 1 || (sent.front() == 1 && sent.back() == p / 2)) << "p = " << p;
  }
}

TEST(Sparbit, SendsPerRoundWhatTheTableOfThePaperSays) {
  std::map<int, std::vector<int>> const table{
      {5, {1, 1, 2}},
      {8, {1, 2, 4}},
      {10, {1, 1, 2, 5}},
      {12, {1, 1, 3, 6}},
      {21, {1, 1, 3, 5, 10}},
      {66, {1, 1, 2, 4, 8, 16, 33}},
      {84, {1, 1, 3, 5, 10, 21, 42}},
  };
  for (auto const& [p, sent] : table) {
    for (int const batch : {0, 1, 3}) {
      EXPECT_EQ(sent_per_round(sparbit(batch).generate(p, 0, 0)), sent) << "p = " << p;
    }
  }
}

/// Blocks of all operations of one kind and round, and their common peer.
std::pair<int, std::set<int>>
moved(schedule::RankProgram const& program, schedule::Kind kind, int round) {
  std::pair<int, std::set<int>> result{-1, {}};
  for (schedule::Operation const& operation : program.operations) {
    if (operation.kind == kind && operation.round == round) {
      EXPECT_TRUE(result.first == -1 || result.first == operation.peer);
      result.first = operation.peer;
      for_each_block(program.frame, program.slots(operation), [&](auto, int block) {
        result.second.insert(block);
      });
    }
  }
  return result;
}

TEST(Sparbit, MovesBlocksOfFiveRanksAsThePaperDraws) {
  using schedule::Kind;
  for (int r = 0; r < 5; ++r) {
    auto const at = [r](int offset) { return wrap(r + offset, 5); };
    for (int const batch : {0, 1, 2}) {
      schedule::RankProgram const program = sparbit(batch).generate(5, 0, r);
      EXPECT_EQ(moved(program, Kind::send, 0), std::pair(at(4), std::set{r}));
      EXPECT_EQ(moved(program, Kind::recv, 0), std::pair(at(-4), std::set{at(-4)}));
      EXPECT_EQ(moved(program, Kind::send, 1), std::pair(at(2), std::set{r}));
      EXPECT_EQ(moved(program, Kind::recv, 1), std::pair(at(-2), std::set{at(-2)}));
      EXPECT_EQ(moved(program, Kind::send, 2), std::pair(at(1), std::set{r, at(-2)}));
      EXPECT_EQ(moved(program, Kind::recv, 2), std::pair(at(-1), std::set{at(-1), at(-3)}));
    }
  }
}

TEST(Sparbit, InBatchesIsTheBatchTransformOfOneBlockMessages) {
  for (int p = 1; p <= 130; ++p) {
    for (int const rank : {0, p / 3, p - 1}) {
      schedule::RankProgram const single = sparbit(1).generate(p, 0, rank);
      for (int const limit : {1, 2, 3, 4, 7, 16}) {
        ASSERT_EQ(sparbit(limit).generate(p, 0, rank), schedule::batch(single, limit))
            << "p = " << p << ", batch = " << limit;
      }
      ASSERT_EQ(sparbit(0).generate(p, 0, rank), schedule::batch(single, p)) << "p = " << p;
    }
  }
}

TEST(Sparbit, HasTheMessagesOfItsCostFormula) {
  for (int p = 1; p <= 300; ++p) {
    EXPECT_EQ(sparbit(1).facts(p, 0), (Facts{ceil_log2(p), p - 1, p - 1, 0, p - 1}));
    EXPECT_EQ(sparbit(0).facts(p, 0), (Facts{ceil_log2(p), ceil_log2(p), p - 1, 0, p - 1}));
  }
  // k = 1, 1, 3, 5, 10 at p = 21 in messages of up to two blocks.
  EXPECT_EQ(sparbit(2).facts(21, 0), (Facts{5, 1 + 1 + 2 + 3 + 5, 20, 0, 20}));
}

TEST(Sparbit, InOneMessageARoundIsLogarithmicInSize) {
  schedule::RankProgram const program = sparbit(0).generate(1 << 20, 0, 12345);
  EXPECT_EQ(program.operations.size(), 40U);
  EXPECT_EQ(program.slot_pool.size(), 40U);
  EXPECT_EQ(program.num_blocks_sent(), (1 << 20) - 1);
}

}  // namespace
}  // namespace espalier::algorithms
