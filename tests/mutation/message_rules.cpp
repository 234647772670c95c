// SPDX-License-Identifier: Apache-2.0

/// @file
/// Rules that programs of several ranks break together while they run.

#include <cstddef>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "espalier/verify/verify.hpp"
#include "tests/mutation/mutants.hpp"

namespace espalier::mutation {
namespace {

using schedule::blocks;
using schedule::Buffer;
using schedule::Builder;
using schedule::Collective;
using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;
using schedule::Slot;
using verify::ProverRule;

/// Both ends use scratch, so that only the sizes are wrong.
TEST(MutationSize, RejectsMessageIntoBlockOfAnotherSize) {
  Programs programs = ring();
  programs[1].frame.scratch_like = {3};
  append(programs[0], [](Builder& builder) { builder.send(1, blocks(2)); });
  append(programs[1], [](Builder& builder) {
    builder.recv(0, Slot{.buffer = Buffer::scratch, .first = 0});
  });
  EXPECT_TRUE(breaks(ProverRule::size, programs, gather));
}

TEST(MutationSize, RejectsMessageWithMoreBlocksThanReceived) {
  Programs programs = ring();
  programs[1].frame.scratch_like = {0};
  append(programs[0], [](Builder& builder) { builder.send(1, blocks(0, 2)); });
  append(programs[1], [](Builder& builder) {
    builder.recv(0, Slot{.buffer = Buffer::scratch, .first = 0});
  });
  EXPECT_TRUE(breaks(ProverRule::size, programs, gather));
}

/// Scratch has the size of the first segment on both sides; the tags decide nothing else.
TEST(MutationTagReuse, RejectsEqualTagsInDataflow) {
  Programs programs = generate("bcast/chain[segments=3]", p);
  for (RankProgram& program : programs) {
    for (Operation& operation : program.operations) {
      operation.tag = 0;
    }
  }
  EXPECT_TRUE(breaks(ProverRule::tag_reuse, programs, broadcast));
}

TEST(MutationTagReuse, RejectsMessagesThatMayOvertakeEachOther) {
  Programs programs = ring();
  programs[2].operations[4].after = 1;
  ASSERT_EQ(programs[2].operations[4].kind, Kind::recv);
  EXPECT_TRUE(breaks(ProverRule::tag_reuse, programs, gather));
}

TEST(MutationUnmatched, RejectsSendWithoutReceive) {
  Programs programs = ring();
  append(programs[1], [](Builder& builder) { builder.send(3, blocks(2)); });
  EXPECT_TRUE(breaks(ProverRule::unmatched, programs, gather));
}

TEST(MutationUnmatched, RejectsReceiveWithoutSend) {
  Programs programs = ring();
  programs[1].frame.scratch_like = {2};
  append(programs[1], [](Builder& builder) {
    builder.recv(3, Slot{.buffer = Buffer::scratch, .first = 0});
  });
  EXPECT_TRUE(breaks(ProverRule::unmatched, programs, gather));
}

TEST(MutationUnmatched, RejectsDifferentTags) {
  Programs programs = ring();
  programs[1].operations.back().tag = 1;
  EXPECT_TRUE(breaks(ProverRule::unmatched, programs, gather));
}

TEST(MutationDeadlock, RejectsSendsThatWaitForTheReceiveOfTheirRound) {
  Programs programs = ring();
  for (RankProgram& program : programs) {
    for (std::size_t i = 1; i < program.operations.size(); i += 2) {
      ASSERT_EQ(program.operations[i].kind, Kind::send);
      program.operations[i].after = static_cast<int>(i);
    }
  }
  verify::Verdict const verdict = verify::verify(programs, gather);
  EXPECT_TRUE(breaks(ProverRule::deadlock, verdict));
  EXPECT_NE(verdict.violation->text.find("rank 0 waits for rank 3"), std::string::npos)
      << verdict.violation->text;
  EXPECT_NE(verdict.violation->text.find("rank 3 waits for rank 2"), std::string::npos)
      << verdict.violation->text;
}

/// With buffered sends this would run: each rank sends first and receives when that is done.
TEST(MutationDeadlock, RejectsExchangeThatNeedsBufferedSends) {
  Programs programs = generate("allgather/ring", 2);
  for (RankProgram& program : programs) {
    std::swap(program.operations[0], program.operations[1]);
    ASSERT_EQ(program.operations[0].kind, Kind::send);
    program.wait_pool = {0};
    program.operations[1].waits = {.begin = 0, .end = 1};
  }
  EXPECT_TRUE(
      breaks(ProverRule::deadlock, programs, {.collective = Collective::allgather, .num_ranks = 2})
  );
}

}  // namespace
}  // namespace espalier::mutation
