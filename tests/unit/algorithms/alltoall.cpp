// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/alltoall/parts/alltoall.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::algorithms {
namespace {

using schedule::Kind;

schedule::RankProgram program(std::string const& choice, int p, int rank) {
  return Choice::parse("alltoall/" + choice).generate(p, 0, rank);
}

/// Of each round: blocks in each message sent.
std::vector<std::vector<std::int64_t>> sent_by_round(schedule::RankProgram const& program) {
  std::vector<std::vector<std::int64_t>> result(static_cast<std::size_t>(program.num_rounds()));
  for (schedule::Operation const& operation : program.operations) {
    if (operation.kind == Kind::send) {
      result[static_cast<std::size_t>(operation.round)].push_back(num_blocks(program.slots(operation
      )));
    }
  }
  return result;
}

std::string bruck(int k) {
  return "bruck[k=" + std::to_string(k) + "]";
}

TEST(AlltoallBruck, HasTheRoundsAndMessagesOfEightNodes) {
  std::map<int, std::pair<int, int>> const rounds_and_messages{
      {2, {3, 24}}, {4, {2, 32}}, {8, {1, 56}}
  };
  for (auto const& [k, expected] : rounds_and_messages) {
    int messages = 0;
    for (int rank = 0; rank < 8; ++rank) {
      messages += program(bruck(k), 8, rank).num_messages_sent();
    }
    Facts const facts = Choice::parse("alltoall/" + bruck(k)).facts(8, 0);
    EXPECT_EQ(std::pair(facts.rounds, messages), expected) << "k = " << k;
  }
}

TEST(AlltoallBruck, HasThePeersAndBlocksOf256Nodes) {
  using Rounds = std::vector<std::vector<std::int64_t>>;
  auto const round = [](std::size_t peers, std::int64_t blocks) {
    return std::vector<std::int64_t>(peers, blocks);
  };
  for (int const rank : {0, 100, 255}) {
    EXPECT_EQ(
        sent_by_round(program(bruck(8), 256, rank)),
        (Rounds{round(7, 32), round(7, 32), round(3, 64)})
    );
    EXPECT_EQ(sent_by_round(program(bruck(32), 256, rank)), (Rounds{round(31, 8), round(7, 32)}));
    EXPECT_EQ(sent_by_round(program(bruck(16), 256, rank)), (Rounds{round(15, 16), round(15, 16)}));
  }
}

/// Blocks with each nonzero digit, counted one by one.
std::vector<std::vector<std::int64_t>> blocks_by_digit(int p, int k) {
  std::vector<std::vector<std::int64_t>> result;
  for (std::int64_t weight = 1; weight < p; weight *= k) {
    std::vector<std::int64_t> round(static_cast<std::size_t>(k), 0);
    for (int x = 0; x < p; ++x) {
      ++round[static_cast<std::size_t>(x / weight % k)];
    }
    round.erase(round.begin());
    std::erase(round, 0);
    result.push_back(round);
  }
  return result;
}

TEST(AlltoallBruck, SendsBlocksByTheDigitsOfTheirDistance) {
  for (int p = 1; p < 70; ++p) {
    for (int const k : {2, 3, 4, 5, 8, 16, 40, 100}) {
      EXPECT_EQ(sent_by_round(program(bruck(k), p, p / 2)), blocks_by_digit(p, k))
          << "p = " << p << ", k = " << k;
    }
  }
}

TEST(AlltoallBruck, NeedsNoScratchInOneRoundAndOnlyWhatWaitsInTwo) {
  auto const scratch = [](int p, int k) {
    return Choice::parse("alltoall/" + bruck(k)).facts(p, 0).scratch;
  };
  EXPECT_EQ(scratch(16, 16), 0);
  EXPECT_EQ(scratch(256, 16), 255);
  EXPECT_EQ(scratch(17, 16), 16);
  EXPECT_EQ(scratch(8, 2), 7 + 4);
  EXPECT_EQ(scratch(1000, 2), 999 + 500);
}

TEST(AlltoallBruck, HasFewSlots) {
  // Runs or combs: at most the square root of p / k for a message.
  EXPECT_LT(program(bruck(2), 4096, 5).slot_pool.size(), 12U * 4U * 47U);
  EXPECT_LT(program(bruck(16), 4096, 5).slot_pool.size(), 15U * (2U + 4U * 17U + 2U) + 10U);
}

TEST(AlltoallPairwise, SwapsIfTheNumberOfRanksIsAPowerOfTwo) {
  for (int const p : {2, 4, 8, 64}) {
    schedule::RankProgram const own = program("pairwise", p, p - 1);
    std::map<int, std::set<int>> peers;
    for (schedule::Operation const& operation : own.operations) {
      if (operation.peer >= 0) {
        peers[operation.round].insert(operation.peer);
      }
    }
    EXPECT_EQ(static_cast<int>(peers.size()), p - 1);
    for (auto const& [round, both] : peers) {
      EXPECT_EQ(both.size(), 1U) << "round " << round;
    }
  }
}

TEST(AlltoallLinear, KeepsToItsWindow) {
  for (int const p : {1, 2, 7, 16}) {
    for (int const window : {1, 3, 6, 15, 100}) {
      schedule::RankProgram const own =
          program("linear[window=" + std::to_string(window) + "]", p, 0);
      EXPECT_EQ(own.num_rounds(), ceil_div(p - 1, window));
      for (auto const& round : sent_by_round(own)) {
        EXPECT_LE(static_cast<int>(round.size()), window);
      }
      for (schedule::Operation const& operation : own.operations) {
        int const before = 1 + 2 * std::min(window, p - 1) * operation.round;
        EXPECT_EQ(operation.after_sends, operation.round == 0 ? 0 : before);
      }
    }
  }
}

TEST(AlltoallTorus, TalksWithinLinesOfTheGrid) {
  std::vector<int> const dims{4, 3, 5};
  for (int rank = 0; rank < 60; ++rank) {
    schedule::RankProgram const own = program("torus[dims=4x3x5]", 60, rank);
    EXPECT_EQ(own.num_rounds(), 3);
    EXPECT_EQ(own.num_messages_sent(), 3 + 2 + 4);
    EXPECT_EQ(own.num_blocks_sent(), 45 + 40 + 48);
    for (schedule::Operation const& operation : own.operations) {
      if (operation.peer >= 0) {
        int const differs_in_first = operation.peer / 15 != rank / 15 ? 1 : 0;
        int const differs_in_second = operation.peer / 5 % 3 != rank / 5 % 3 ? 1 : 0;
        int const differs_in_third = operation.peer % 5 != rank % 5 ? 1 : 0;
        EXPECT_EQ(differs_in_first, operation.round == 0 ? 1 : 0);
        EXPECT_EQ(differs_in_second, operation.round == 1 ? 1 : 0);
        EXPECT_EQ(differs_in_third, operation.round == 2 ? 1 : 0);
      }
    }
  }
}

TEST(AlltoallTorus, RefusesAnotherNumberOfRanks) {
  Choice const choice = Choice::parse("alltoall/torus[dims=2x3]");
  EXPECT_EQ(choice.refuses(6, 0), "");
  EXPECT_NE(choice.refuses(7, 0).find("needs 6 ranks"), std::string::npos) << choice.refuses(7, 0);
}

TEST(Alltoall, OfEqualBlocksOnlyIsSaidOfThoseThatForward) {
  for (std::string const name : {"pairwise", "linear"}) {
    EXPECT_FALSE(find(Collective::alltoall, name).equal_blocks_only) << name;
    EXPECT_EQ(Choice::parse("alltoall/" + name).facts(24, 0).scratch, 0) << name;
  }
  for (std::string const name : {"bruck", "torus"}) {
    EXPECT_TRUE(find(Collective::alltoall, name).equal_blocks_only) << name;
  }
}

std::vector<int> flat(std::vector<schedule::Slot> const& slots) {
  std::vector<int> result;
  for (schedule::Slot const& slot : slots) {
    for (int i = 0; i < slot.num_blocks; ++i) {
      result.push_back(slot.first + i * slot.stride);
    }
  }
  return result;
}

TEST(Digit, ListsTheNumbersThatHaveIt) {
  for (int n = 1; n <= 70; ++n) {
    for (int const radix : {2, 3, 5}) {
      for (int weight = 1; weight < n; weight *= radix) {
        for (Digit const& digit : nonzero_digits(n, radix, weight)) {
          std::vector<int> expected;
          for (int x = 0; x < n; ++x) {
            if (x / weight % radix == digit.digit) {
              expected.push_back(x);
            }
          }
          std::vector<int> listed = flat(digit.numbers(n));
          std::ranges::sort(listed);
          EXPECT_EQ(listed, expected);
          EXPECT_EQ(digit.count(n), static_cast<int>(expected.size()));
          EXPECT_LE(
              static_cast<int>(digit.numbers(n).size()),
              std::min(weight, ceil_div(n, weight * radix))
          );
        }
      }
    }
  }
}

}  // namespace
}  // namespace espalier::algorithms
