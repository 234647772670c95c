// SPDX-License-Identifier: Apache-2.0

/// @file
/// Rules that the program of one rank breaks alone.

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "espalier/verify/verify.hpp"
#include "tests/mutation/mutants.hpp"

namespace espalier::mutation {
namespace {

using schedule::blocks;
using schedule::Buffer;
using schedule::Builder;
using schedule::Operation;
using schedule::RankProgram;
using schedule::Slot;
using verify::ProverRule;

TEST(MutationSubjects, AreCorrect) {
  EXPECT_TRUE(verify::verify(ring(), gather).holds());
  EXPECT_TRUE(verify::verify(ring_with_input(), gather_from_input).holds());
  EXPECT_TRUE(verify::verify(generate("bcast/binomial", p), broadcast).holds());
  EXPECT_TRUE(verify::verify(generate("bcast/binomial[segments=3]", p), broadcast).holds());
}

TEST(MutationInputWritten, RejectsCopyIntoTheInput) {
  Programs programs = ring_with_input();
  append(programs[1], [](Builder& builder) {
    builder.copy({.buffer = Buffer::input, .first = 0, .num_blocks = 1, .stride = 0}, blocks(1));
  });
  EXPECT_TRUE(breaks(ProverRule::input_written, programs, gather_from_input));
}

/// What is sent too early is thrown away by the receiver, so that nothing else is wrong.
TEST(MutationNotHeld, RejectsSendOfBlockNotYetHeld) {
  Programs programs = generate("bcast/binomial", p);
  for (int const rank : {1, 2}) {
    programs[static_cast<std::size_t>(rank)].frame.scratch_like = {0, 0};
  }
  append(programs[1], [](Builder& builder) {
    builder.send(2, Slot{.buffer = Buffer::scratch, .first = 0});
  });
  append(programs[2], [](Builder& builder) {
    builder.next_round(2).recv(1, Slot{.buffer = Buffer::scratch, .first = 1});
  });
  EXPECT_TRUE(breaks(ProverRule::not_held, programs, broadcast));
}

TEST(MutationNotHeld, RejectsSendBeforeTheReceiveInProgramOrder) {
  Programs programs = ring();
  // Rank 0 now hands on in round 0 what it gets in round 1.
  std::swap(first_slot(programs[0], 1), first_slot(programs[0], 5));
  EXPECT_TRUE(breaks(ProverRule::not_held, programs, gather));
}

TEST(MutationBounds, RejectsAnInputThatIsNotGiven) {
  EXPECT_TRUE(breaks(ProverRule::bounds, ring_with_input(), gather));
}

TEST(MutationNotHeld, RejectsReduceIntoNothing) {
  Programs programs = generate("bcast/binomial", p);
  programs[1].frame.scratch_like = {0};
  append(programs[1], [](Builder& builder) {
    builder.reduce({.buffer = Buffer::scratch, .first = 0}, blocks(0));
  });
  EXPECT_TRUE(breaks(ProverRule::not_held, programs, broadcast));
}

TEST(MutationUnordered, RejectsSendThatDoesNotWaitForItsBlock) {
  Programs programs = ring();
  programs[2].operations[3].after = 0;
  EXPECT_TRUE(breaks(ProverRule::unordered, programs, gather));
}

TEST(MutationUnordered, RejectsMissingWaitInDataflow) {
  Programs programs = generate("bcast/binomial[segments=3]", p);
  Programs::iterator const inner = std::ranges::find_if(programs, [](RankProgram const& program) {
    return program.rank != 0 && program.is_dataflow();
  });
  ASSERT_NE(inner, programs.end());
  auto const waiting = std::ranges::find_if(inner->operations, [](Operation const& operation) {
    return operation.waits.size() == 1;
  });
  erase_wait(*inner, static_cast<int>(waiting - inner->operations.begin()), 0);
  EXPECT_TRUE(breaks(ProverRule::unordered, programs, broadcast));
}

/// An operation waits for writes of a prefix, never for sends.
TEST(MutationUnordered, RejectsReduceIntoABlockThatIsBeingSent) {
  Programs programs = generate("bcast/binomial", p);
  for (RankProgram& program : programs) {
    append(program, [&](Builder& builder) {
      builder.next_round(5);
      if (program.rank == 1) {
        builder.send(0, blocks(0));
      } else if (program.rank == 0) {
        builder.recv(1, Slot{.buffer = Buffer::scratch, .first = 0});
      }
    });
  }
  programs[0].frame.scratch_like = {0};
  for (Slot& slot : programs[0].slot_pool) {
    slot.stride = 0;
  }
  append(programs[0], [](Builder& builder) {
    builder.reduce(blocks(0), {.buffer = Buffer::scratch, .first = 0});
  });
  EXPECT_TRUE(breaks(ProverRule::unordered, programs, broadcast));
}

TEST(MutationUnordered, RejectsReduceOfABlockIntoItself) {
  Programs programs = generate("bcast/binomial", p);
  append(programs[0], [](Builder& builder) { builder.reduce(blocks(0), blocks(0)); });
  EXPECT_TRUE(breaks(ProverRule::unordered, programs, broadcast));
}

TEST(MutationWrittenTwice, RejectsSecondReceiveOfABlock) {
  Programs programs = ring();
  append(programs[0], [](Builder& builder) { builder.send(1, blocks(0)); });
  append(programs[1], [](Builder& builder) { builder.recv(0, blocks(0)); });
  EXPECT_TRUE(breaks(ProverRule::written_twice, programs, gather));
}

TEST(MutationWrittenTwice, RejectsReceiveOverTheOwnContribution) {
  Programs programs = ring();
  append(programs[0], [](Builder& builder) { builder.send(1, blocks(1)); });
  append(programs[1], [](Builder& builder) { builder.recv(0, blocks(1)); });
  EXPECT_TRUE(breaks(ProverRule::written_twice, programs, gather));
}

TEST(MutationWrittenTwice, RejectsABlockTwiceInOneReceive) {
  Programs programs = generate("bcast/binomial[segments=2]", p);
  first_slot(programs[3], 0) = {.buffer = Buffer::output, .first = 0, .num_blocks = 2, .stride = 0};
  EXPECT_TRUE(breaks(ProverRule::written_twice, programs, broadcast));
}

TEST(MutationSize, RejectsCopyBetweenBlocksOfDifferentSizes) {
  Programs programs = ring();
  programs[3].frame.scratch_like = {2};
  append(programs[3], [](Builder& builder) {
    builder.copy({.buffer = Buffer::scratch, .first = 0}, blocks(3));
  });
  EXPECT_TRUE(breaks(ProverRule::size, programs, gather));
}

TEST(MutationSize, RejectsInputOfAnotherSize) {
  Programs programs = ring_with_input();
  programs[1].frame.input_like = {2};
  EXPECT_TRUE(breaks(ProverRule::size, programs, gather_from_input));
}

}  // namespace
}  // namespace espalier::mutation
