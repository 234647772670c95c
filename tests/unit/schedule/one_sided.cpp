// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/one_sided.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/one_sided_plan.hpp"
#include "espalier/schedule/text.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

constexpr int p = 3;

Frame one_block() {
  return {.num_ranks = p, .num_output_blocks = 1, .input_like = {}, .scratch_like = {}};
}

/// 0 -> 1 -> 2.
RankProgram chain(int rank) {
  Builder builder(one_block(), rank);
  if (rank > 0) {
    builder.next_round(rank - 1).recv(rank - 1, blocks(0)).next_round();
  }
  if (rank < p - 1) {
    builder.send(rank + 1, blocks(0));
  }
  return std::move(builder).finish();
}

/// 0 -> 1, 0 -> 2.
RankProgram star(int rank) {
  Builder builder(one_block(), rank);
  if (rank > 0) {
    builder.recv(0, blocks(0));
  } else {
    builder.send(1, blocks(0)).send(2, blocks(0));
  }
  return std::move(builder).finish();
}

/// 0 <-> 1, again and again, into the same block.
RankProgram ping_pong(int rank) {
  Builder builder(
      {.num_ranks = 2, .num_output_blocks = 1, .input_like = {}, .scratch_like = {}}, rank
  );
  for (int round = 0; round < 3; ++round) {
    if (round % 2 == rank) {
      builder.send(1 - rank, blocks(0)).wait_for_sends();
    } else {
      builder.recv(1 - rank, blocks(0));
    }
    builder.next_round();
  }
  return std::move(builder).finish();
}

TEST(OneSidedSurvey, SeesThatAChainIsATreeBothWays) {
  Survey const found = survey(p, chain);
  EXPECT_EQ(
      found,
      (Survey{
          .num_ranks = p, .num_rounds = 2, .flows_down = true, .flows_up = true, .moves_data = true
      })
  );
}

TEST(OneSidedSurvey, SeesATreeFromOneRank) {
  Survey const found = survey(p, star);
  EXPECT_TRUE(found.flows_down);
  EXPECT_FALSE(found.flows_up);
}

TEST(OneSidedSurvey, SeesATreeToOneRank) {
  Survey const found = survey(p, [](int rank) { return reverse(star(rank), 1); });
  EXPECT_FALSE(found.flows_down);
  EXPECT_TRUE(found.flows_up);
}

TEST(OneSidedSurvey, SeesBlocksThatAreWrittenAgain) {
  Survey const found = survey(2, ping_pong);
  EXPECT_FALSE(found.flows_down);
  EXPECT_FALSE(found.flows_up);
  EXPECT_TRUE(found.waits_for_sends);
}

TEST(OneSidedSurvey, RefusesDataflow) {
  auto const segmented = [](int rank) {
    return segment(chain(rank), {.num_segments = 2, .period = 1, .window = 2});
  };
  EXPECT_THROW(static_cast<void>(survey(p, segmented)), Error);
}

TEST(OneSided, PutsOnlyWhereAddressesAreKnown) {
  OneSidedForm const form{{}, AddressMode::local, Mechanism::signaling_put};
  EXPECT_NE(refusal(form).find("single"), std::string::npos);
  try {
    static_cast<void>(one_sided(0, form, survey(p, chain), chain));
    FAIL() << "expected an error";
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
  }
}

TEST(OneSided, RefusesProgramsThatDoNotFitTogether) {
  auto const without_receives = [](int rank) {
    return rank == 0 ? chain(0) : std::move(Builder(one_block(), rank)).finish();
  };
  OneSidedForm const form{};
  EXPECT_THROW(
      static_cast<void>(one_sided(0, form, survey(p, without_receives), without_receives)), Error
  );
}

TEST(OneSided, ReceivesUsedBlocksInScratchMemory) {
  EXPECT_EQ(
      to_text(one_sided(0, {}, survey(2, ping_pong), ping_pong)),
      "rank 0 of 2: 1 output block, 1 scratch block, 3 rounds\n"
      "0  round 0 put output 0 into output 0 of 1 raises 0\n"
      "1  round 1 await counter 1 at 1 waits 0\n"
      "2  round 1 copy scratch 0 into output 0 waits 1\n"
      "3  round 2 put output 0 into scratch 0 of 1 raises 2 waits 2\n"
  );
}

TEST(OneSided, GetsWhatTheSenderOffers) {
  OneSidedForm const form{
      {.in = Sync::allsync, .out = Sync::mysync}, AddressMode::local, Mechanism::rendezvous
  };
  EXPECT_EQ(
      to_text(one_sided(1, form, survey(p, chain), chain)),
      "rank 1 of 3: 1 output block, 6 rounds\n"
      "0  round 0 await counter 0 at 1\n"
      "1  round 1 signal to 0 raises 0 waits 0\n"
      "2  round 2 await counter 1 at 1\n"
      "3  round 3 get output 0 of 0 into output 0 waits 2\n"
      "4  round 4 signal to 0 raises 1 waits 3\n"
      "5  round 5 signal to 2 raises 1 waits 3\n"
      "6  round 7 await counter 2 at 1\n"
  );
}

TEST(OneSidedPlan, MakesSlotsThatDoNotWrap) {
  EXPECT_EQ(
      slots_of(Buffer::output, std::vector{4, 5, 0, 1, 3, 5, 2}),
      (std::vector<Slot>{
          {Buffer::output, 4, 2, 1},
          {Buffer::output, 0, 2, 1},
          {Buffer::output, 3, 2, 2},
          {Buffer::output, 2, 1, 1},
      })
  );
}

TEST(OneSided, OfAllRanksIsThatOfEach) {
  for (Mechanism const mechanism : all_mechanisms) {
    OneSidedForm const form{
        .mode = {.in = Sync::allsync, .out = Sync::mysync}, .mechanism = mechanism
    };
    Survey const found = survey(p, chain);
    std::vector<RankProgram> const all = one_sided(form, found, chain);
    ASSERT_EQ(all.size(), static_cast<std::size_t>(p));
    for (int rank = 0; rank < p; ++rank) {
      EXPECT_EQ(all[static_cast<std::size_t>(rank)], one_sided(rank, form, found, chain));
    }
  }
}

/// Rank 1 of the chain hands on each segment when it is there; who has entered is said once.
TEST(OneSided, RepeatsWhatMovesDataForEachSegment) {
  OneSidedForm form{
      .mode = {.in = Sync::allsync, .out = Sync::nosync},
      .mechanism = Mechanism::signaling_put,
  };
  Survey const found = survey(p, chain);
  RankProgram const whole = one_sided(1, form, found, chain);
  form.segments = {.number = 3, .period = 1};
  RankProgram const cut = one_sided(1, form, found, chain);
  EXPECT_EQ(cut.frame.num_output_blocks, 3);
  auto const count = [](RankProgram const& program, Kind kind) {
    return std::ranges::count(program.operations, kind, &Operation::kind);
  };
  EXPECT_EQ(count(whole, Kind::put), 1);
  EXPECT_EQ(count(cut, Kind::put), 3);
  EXPECT_EQ(count(cut, Kind::signal), count(whole, Kind::signal));
  int segment = 0;
  for (Operation const& put : cut.operations) {
    if (put.kind == Kind::put) {
      EXPECT_EQ(cut.sources(put).front().first, segment);
      ASSERT_EQ(cut.waits(put).size(), 1);
      Operation const& arrival = cut.operations[static_cast<std::size_t>(cut.waits(put).front())];
      EXPECT_EQ(arrival.kind, Kind::await);
      EXPECT_EQ(arrival.tag, put.tag);  // ranks 1 and 2 number their counters alike
      ++segment;
    }
  }
}

TEST(OneSided, RefusesSegmentsThatCannotBe) {
  OneSidedForm form{.segments = {.number = 0}};
  Survey const found = survey(p, chain);
  EXPECT_THROW(static_cast<void>(one_sided(1, form, found, chain)), Error);
  form.segments = {.number = 2, .period = 0};
  EXPECT_THROW(static_cast<void>(one_sided(1, form, found, chain)), Error);
  // Two operations so often are more than an int numbers.
  form.segments = {.number = 2'000'000'000};
  EXPECT_THROW(static_cast<void>(one_sided(1, form, found, chain)), Error);
}

TEST(OneSided, IsForProgramsOfMessagesInRounds) {
  EXPECT_TRUE(can_be_one_sided(chain(0)));
  EXPECT_FALSE(can_be_one_sided(one_sided({}, survey(p, chain), chain).front()));
  EXPECT_FALSE(can_be_one_sided(segment(chain(1), {.num_segments = 2})));
}

}  // namespace
}  // namespace espalier::schedule
