// SPDX-License-Identifier: Apache-2.0

/// @file
/// Rules about puts, gets and counters.

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/schedule/builder.hpp"
#include "espalier/verify/verify.hpp"
#include "tests/mutation/mutants.hpp"

namespace espalier::mutation {
namespace {

using schedule::blocks;
using schedule::Buffer;
using schedule::Builder;
using schedule::Collective;
using schedule::Frame;
using schedule::no_counter;
using schedule::Slot;
using verify::Contract;
using verify::ProverRule;

constexpr Contract pair{.collective = Collective::allgather, .num_ranks = 2};
constexpr Slot scratch{.buffer = Buffer::scratch, .first = 0};

Frame frame() {
  return {.num_ranks = 2, .num_output_blocks = 2, .input_like = {}, .scratch_like = {0}};
}

/// Each of two ranks puts its block to the other one.
Programs exchange() {
  Programs programs;
  for (int rank = 0; rank < 2; ++rank) {
    Builder builder(frame(), rank);
    builder.put(1 - rank, blocks(rank), blocks(rank), 0).await(0);
    programs.push_back(std::move(builder).finish());
  }
  return programs;
}

TEST(MutationOneSided, AcceptsAnExchange) {
  verify::Verdict const verdict = verify::verify(exchange(), pair);
  ASSERT_TRUE(verdict.holds()) << to_string(*verdict.violation);
  EXPECT_EQ(verdict.facts.rounds, 1);
  EXPECT_EQ(verdict.facts.messages, 1);
  EXPECT_EQ(verdict.facts.blocks, 1);
  EXPECT_EQ(verdict.facts.volume, 1);
}

TEST(MutationArrivalsOfCounters, RejectsACounterThatIsRaisedTooOften) {
  Programs programs = exchange();
  append(programs[0], [](Builder& builder) { builder.next_round(0).signal(1, 0); });
  EXPECT_TRUE(breaks(ProverRule::arrivals, programs, pair));
}

TEST(MutationArrivalsOfCounters, RejectsACounterThatIsRaisedTooSeldom) {
  Programs programs = exchange();
  programs[1].operations[1].arrivals = 2;
  EXPECT_TRUE(breaks(ProverRule::arrivals, programs, pair));
}

TEST(MutationArrivalsOfCounters, RejectsACounterThatNobodyAwaits) {
  Programs programs = exchange();
  programs[0].operations[0].tag = 1;
  programs[1].operations.pop_back();
  EXPECT_TRUE(breaks(ProverRule::arrivals, programs, pair));
}

TEST(MutationBounds, RejectsBlocksThatThePeerDoesNotHave) {
  Programs programs = exchange();
  first_slot(programs[0], 0).first = 2;
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, pair));
  programs = exchange();
  first_slot(programs[0], 0).buffer = Buffer::input;
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, pair));
}

TEST(MutationBounds, RejectsAnAwaitOfNothing) {
  Programs programs = exchange();
  programs[0].operations[1].arrivals = 0;
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, pair));
}

TEST(MutationBounds, RejectsMessagesBesideOneSidedOperations) {
  Programs programs = exchange();
  append(programs[0], [](Builder& builder) { builder.send_signal(1); });
  append(programs[1], [](Builder& builder) { builder.recv_signal(0); });
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, pair));
}

TEST(MutationInputWritten, RejectsAPutIntoTheInput) {
  Programs programs = exchange();
  for (int rank = 0; rank < 2; ++rank) {
    auto& program = programs[static_cast<std::size_t>(rank)];
    program.frame.input_like = {rank};
    append(program, [&](Builder& builder) {
      builder.copy(blocks(rank), {.buffer = Buffer::input, .first = 0});
    });
  }
  first_slot(programs[0], 0) = {.buffer = Buffer::input, .first = 0};
  Contract contract = pair;
  contract.is_in_place = false;
  EXPECT_TRUE(breaks(ProverRule::input_written, programs, contract));
}

TEST(MutationSize, RejectsAPutIntoABlockOfAnotherSize) {
  Programs programs = exchange();
  first_slot(programs[1], 0).first = 0;
  EXPECT_TRUE(breaks(ProverRule::size, programs, pair));
}

TEST(MutationNotHeld, RejectsAGetOfWhatIsNotThere) {
  Programs programs = exchange();
  append(programs[0], [](Builder& builder) { builder.get(1, scratch, scratch); });
  EXPECT_TRUE(breaks(ProverRule::not_held, programs, pair));
}

TEST(MutationWrittenTwice, RejectsASecondPut) {
  Programs programs = exchange();
  append(programs[0], [](Builder& builder) { builder.put(1, blocks(0), blocks(0)); });
  EXPECT_TRUE(breaks(ProverRule::written_twice, programs, pair));
}

/// The data of a put may come later than a signal that was sent behind it.
TEST(MutationUnordered, RejectsASignalInPlaceOfTheCounterOfAPut) {
  Programs programs = exchange();
  programs[0].operations[0].tag = no_counter;
  append(programs[0], [](Builder& builder) {
    builder.wait_for_sends().next_round(0).signal(1, 0);
  });
  // Two operations of a round: the signal waits for the put.
  programs[0].operations.back().round = 1;
  programs[1].operations[1].round = 1;
  append(programs[1], [](Builder& builder) { builder.copy(scratch, blocks(0)); });
  EXPECT_TRUE(breaks(ProverRule::unordered, programs, pair));
}

TEST(MutationUnordered, RejectsAReadThatDoesNotAwaitThePut) {
  Programs programs = exchange();
  append(programs[1], [](Builder& builder) { builder.copy(scratch, blocks(0)); });
  programs[1].operations.back().after = 0;
  EXPECT_TRUE(breaks(ProverRule::unordered, programs, pair));
}

/// Rank 1 reads its block while rank 0 may write it.
TEST(MutationUnordered, RejectsAPutIntoWhatThePeerStillReads) {
  Contract const reduction{.collective = Collective::allreduce, .num_ranks = 2};
  Programs programs;
  for (int rank = 0; rank < 2; ++rank) {
    Builder builder(
        {.num_ranks = 2, .num_output_blocks = 1, .input_like = {}, .scratch_like = {0, 0}}, rank
    );
    Slot const own{.buffer = Buffer::scratch, .first = 1};
    builder.copy(own, blocks(0)).next_round();
    builder.put(1 - rank, scratch, own, 0).await(0).next_round().reduce(blocks(0), scratch);
    programs.push_back(std::move(builder).finish());
  }
  EXPECT_TRUE(verify::verify(programs, reduction).holds());
  // The peer's copy, before it puts, may still write what this rank writes.
  first_slot(programs[0], 1).first = 1;
  EXPECT_TRUE(breaks(ProverRule::unordered, programs, reduction));
}

TEST(MutationDeadlock, RejectsACircleOfCounters) {
  Programs programs;
  for (int rank = 0; rank < 2; ++rank) {
    Builder builder(frame(), rank);
    builder.await(0).next_round().put(1 - rank, blocks(rank), blocks(rank), 0);
    programs.push_back(std::move(builder).finish());
  }
  EXPECT_TRUE(breaks(ProverRule::deadlock, programs, pair));
}

TEST(MutationFacts, RejectsAnAwaitInAnotherRoundThanTheRaise) {
  Programs programs = exchange();
  programs[0].operations[1].round = 1;
  EXPECT_TRUE(breaks(ProverRule::facts, programs, pair));
}

TEST(MutationArrivals, RejectsABarrierOfSignalsThatDoNotWait) {
  Contract const barrier{.collective = Collective::barrier, .num_ranks = p};
  Programs programs;
  for (int rank = 0; rank < p; ++rank) {
    Builder builder({.num_ranks = p, .num_output_blocks = 0}, rank);
    builder.signal((rank + 1) % p, 0).await(0).next_round();
    builder.signal((rank + 2) % p, 1).await(1);
    programs.push_back(std::move(builder).finish());
  }
  verify::Verdict const verdict = verify::verify(programs, barrier);
  EXPECT_TRUE(verdict.holds()) << to_string(*verdict.violation);
  programs[1].operations[2].after = 0;
  EXPECT_TRUE(breaks(ProverRule::postcondition, programs, barrier));
}

}  // namespace
}  // namespace espalier::mutation
