// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

using schedule::Kind;

schedule::RankProgram program(std::string const& choice, int p, int rank) {
  return Choice::parse("allgather/" + choice).generate(p, 0, rank);
}

Facts facts(std::string const& choice, int p) {
  return Choice::parse("allgather/" + choice).facts(p, 0);
}

std::string with(std::string const& name, int argument) {
  return name + "=" + std::to_string(argument) + "]";
}

TEST(AllgatherBruck, OfRadixTwoIsTheClassicOne) {
  for (int p = 1; p <= 130; ++p) {
    int const r = 2 * p / 3;
    schedule::Builder builder(output_frame(p, p), r);
    for (int d = 1; d < p; d *= 2) {
      int const above = wrap(r + d, p);
      builder.recv(above, schedule::blocks(above, std::min(d, p - d)));
      builder.send(wrap(r - d, p), schedule::blocks(r, std::min(d, p - d))).next_round();
    }
    schedule::RankProgram const expected = std::move(builder).finish();
    EXPECT_EQ(program("bruck", p, r), expected) << "p = " << p;
    EXPECT_EQ(program("bruck[k=2]", p, r), expected) << "p = " << p;
  }
}

TEST(AllgatherBruck, OfRadixKHasTheRoundsOfTheMultiportModel) {
  for (int p = 1; p <= 130; ++p) {
    for (int const k : {2, 3, 4, 7, 16, 200}) {
      Facts const counted = facts(with("bruck[k", k), p);
      EXPECT_EQ(counted.rounds, ceil_log(k, p));
      EXPECT_EQ(counted.blocks, p - 1);
      EXPECT_LE(counted.messages, (k - 1) * counted.rounds);
      EXPECT_EQ(program(with("bruck[k", k), p, 0).num_messages_sent(), counted.messages);
    }
  }
}

TEST(AllgatherCirculant, IsBruckForPowersOfTwo) {
  for (int p = 1; p <= 256; p *= 2) {
    EXPECT_EQ(program("circulant", p, p / 3), program("bruck", p, p / 3)) << "p = " << p;
  }
}

TEST(AllgatherRecursiveMultiplying, ByTwoIsRecursiveDoubling) {
  for (int p = 1; p <= 256; p *= 2) {
    EXPECT_EQ(
        program("recursive_multiplying[k=2]", p, p / 3), program("recursive_doubling", p, p / 3)
    ) << "p = "
      << p;
  }
}

TEST(AllgatherRecursiveMultiplying, TakesMixedFactorsBeforePairs) {
  EXPECT_EQ(facts("recursive_multiplying[k=8]", 48).rounds, 2);
  EXPECT_EQ(facts("recursive_multiplying[k=8]", 48).messages, 7 + 5);
  EXPECT_EQ(facts("recursive_multiplying[k=8]", 48).blocks, 47);
  // 13 ranks as 12 places of 4 x 3, the first of them a pair.
  Facts const odd = facts("recursive_multiplying[k=4]", 13);
  EXPECT_EQ(odd.rounds, 1 + 2 + 1);
  EXPECT_EQ(odd.messages, 3 + 2 + 1);
  EXPECT_EQ(odd.blocks, 3 * 2 + 2 * 5 + 12);
  EXPECT_EQ(facts("recursive_multiplying[factors=3x2x8]", 48).messages, 2 + 1 + 7);
  Choice const choice = Choice::parse("allgather/recursive_multiplying[factors=3x2]");
  EXPECT_EQ(choice.refuses(12, 0), "");
  EXPECT_NE(choice.refuses(13, 0), "");
  EXPECT_NE(choice.refuses(5, 0), "");
}

TEST(AllgatherPat, WithoutALimitIsSparbitInOneMessageARound) {
  for (int p = 1; p <= 130; ++p) {
    EXPECT_EQ(program("pat[limit=1000]", p, p / 3), program("sparbit[batch=0]", p, p / 3))
        << "p = " << p;
  }
}

TEST(AllgatherPat, KeepsToItsLimit) {
  for (int p = 1; p <= 130; ++p) {
    for (int const limit : {1, 2, 3, 8, 50}) {
      schedule::RankProgram const own = program(with("pat[limit", limit), p, 0);
      for (schedule::Operation const& operation : own.operations) {
        EXPECT_LE(num_blocks(own.slots(operation)), limit);
      }
    }
    EXPECT_EQ(facts("pat[limit=1]", p).rounds, p - 1);
  }
  EXPECT_EQ(facts("pat[limit=4]", 64).rounds, 2 + 15);
  EXPECT_EQ(facts("pat[limit=4]", 50).rounds, 2 + 15);
}

std::int64_t hops(schedule::RankProgram const& program, bool times_blocks) {
  int const p = program.frame.num_ranks;
  std::int64_t total = 0;
  for (schedule::Operation const& operation : program.operations) {
    if (operation.kind == Kind::send) {
      int const distance = std::abs(operation.peer - program.rank);
      total += std::min(distance, p - distance) *
               (times_blocks ? num_blocks(program.slots(operation)) : 1);
    }
  }
  return total;
}

TEST(AllgatherBine, SavesAThirdOfTheHops) {
  EXPECT_EQ(hops(program("bine", 1024, 5), false), 682);
  EXPECT_EQ(hops(program("recursive_doubling", 1024, 5), false), 1023);
}

TEST(AllgatherBine, SetsOneRankAsideIfTheirNumberIsOdd) {
  EXPECT_EQ(facts("bine", 12).rounds, 4);
  EXPECT_EQ(facts("bine", 13).rounds, 4 + 2);
  EXPECT_EQ(facts("bine", 13).blocks, (1 + 2 + 4 + 4) + 4 + 12);
  EXPECT_EQ(program("bine", 13, 1).num_messages_sent(), 1);
}

TEST(AllgatherSwing, SendsItsLargestMessagesToTheNearestRank) {
  EXPECT_EQ(hops(program("swing", 1024, 5), false), 682);
  EXPECT_LT(hops(program("swing", 1024, 5), true), 11 * 512);
  EXPECT_GT(hops(program("bine", 1024, 5), true), 170 * 512);
}

/// Messages and blocks that a rank sends to other groups.
std::pair<int, std::int64_t> foreign(schedule::RankProgram const& program, int group_size) {
  std::pair<int, std::int64_t> result{0, 0};
  for (schedule::Operation const& operation : program.operations) {
    if (operation.kind == Kind::send && operation.peer / group_size != program.rank / group_size) {
      ++result.first;
      result.second += num_blocks(program.slots(operation));
    }
  }
  return result;
}

TEST(AllgatherKRing, LeavesTheGroupOncePerGroup) {
  for (int const k : {1, 2, 3, 4, 6, 12, 24}) {
    for (int rank = 0; rank < 24; ++rank) {
      schedule::RankProgram const own = program(with("k_ring[k", k), 24, rank);
      EXPECT_EQ(own.num_messages_sent(), 23);
      EXPECT_EQ(foreign(own, k).first, 24 / k - 1);
    }
  }
}

TEST(AllgatherKRing, IsTheRingWithOneGroup) {
  for (int p = 1; p <= 20; ++p) {
    EXPECT_EQ(program(with("k_ring[k", p), p, p / 2), program("ring", p, p / 2));
    EXPECT_EQ(program("k_ring[k=1]", p, p / 2), program("ring", p, p / 2));
  }
}

TEST(AllgatherLocalityBruck, LeavesTheRegionAsOftenAsThePaperSays) {
  for (int const n : {2, 3, 4, 8}) {
    for (int const num_regions : {1, 2, 3, 4, 5, 8, 9, 16, 17}) {
      int const p = n * num_regions;
      int most = 0;
      std::int64_t blocks = 0;
      for (int rank = 0; rank < n; ++rank) {
        auto const [messages, sent] = foreign(program(with("locality_bruck[n", n), p, rank), n);
        most = std::max(most, messages);
        blocks += sent;
      }
      EXPECT_EQ(most, ceil_log(n, num_regions)) << n << " x " << num_regions;
      EXPECT_EQ(blocks, p - n) << n << " x " << num_regions;
    }
  }
}

TEST(AllgatherLocalityBruck, NeedsOneStepLessIfAllRanksTakePart) {
  EXPECT_EQ(foreign(program("locality_bruck[n=3]", 12, 1), 3).first, 2);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(foreign(program("locality_bruck[n=3,k=4]", 12, rank), 3).first, 1);
  }
}

TEST(Allgathers, ThatAreLogarithmicAreSmall) {
  for (std::string const choice :
       {"circulant", "bine", "swing", "bruck[k=4]", "pat[limit=1048576]", "recursive_multiplying"
       }) {
    schedule::RankProgram const own = program(choice, 1 << 20, 12345);
    EXPECT_LE(own.operations.size(), 60U) << choice;
    EXPECT_LE(own.slot_pool.size(), 80U) << choice;
    EXPECT_EQ(own.num_blocks_sent(), (1 << 20) - 1) << choice;
  }
}

}  // namespace
}  // namespace espalier::algorithms
