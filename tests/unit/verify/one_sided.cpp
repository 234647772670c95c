// SPDX-License-Identifier: Apache-2.0

/// @file
/// One-sided forms of catalog schedules: how they look, and how many passes they need.

#include "tests/support/one_sided.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/verify/one_sided_drawing.hpp"
#include "espalier/verify/verify.hpp"

namespace espalier::verify {
namespace {

using schedule::AddressMode;
using schedule::Mechanism;
using schedule::OneSidedForm;
using schedule::Sync;
using schedule::Synchronization;

std::vector<schedule::RankProgram>
programs_of(char const* text, int p, OneSidedForm const& form, bool is_in_place = true) {
  return test::OneSidedCase(algorithms::Choice::parse(text), p, 0, is_in_place).programs(form);
}

OneSidedForm put_form(Synchronization mode) {
  return {mode, AddressMode::single, Mechanism::signaling_put};
}

int num_rounds(char const* text, int p, OneSidedForm const& form) {
  auto const choice = algorithms::Choice::parse(text);
  Contract contract = contract_for(choice, p, 0);
  contract.synchronization = form.mode;
  Verdict const verdict = verify(programs_of(text, p, form), contract);
  EXPECT_TRUE(verdict.holds()) << to_string(*verdict.violation);
  return verdict.facts.rounds;
}

TEST(OneSidedDrawing, LooseBroadcastIsAPutForEachChild) {
  EXPECT_EQ(
      draw_one_sided(programs_of("bcast/k_nomial[k=2]", 4, put_form({}))),
      "one-sided, p = 4     rank 0   rank 1   rank 2   rank 3\n"
      "round 0              2:0      -        -        -\n"
      "round 1              1:0      -        3:0      -\n"
  );
}

TEST(OneSidedDrawing, ReceiversSayThatTheyHaveEntered) {
  EXPECT_EQ(
      draw_one_sided(programs_of("bcast/chain", 3, put_form({.in = Sync::mysync}))),
      "one-sided, p = 3     rank 0   rank 1   rank 2\n"
      "round 0              -        0!       1!\n"
      "round 1              1:0      -        -\n"
      "round 2              -        2:0      -\n"
  );
}

TEST(OneSidedDrawing, ArrivalsGoUpTheTreeOfABroadcast) {
  EXPECT_EQ(
      draw_one_sided(programs_of("bcast/k_nomial[k=2]", 4, put_form({.in = Sync::allsync}))),
      "one-sided, p = 4     rank 0   rank 1   rank 2   rank 3\n"
      "round 0              -        0!       -        2!\n"
      "round 1              -        -        0!       -\n"
      "round 2              2:0      -        -        -\n"
      "round 3              1:0      -        3:0      -\n"
  );
}

TEST(OneSidedDrawing, TheReleaseGoesDownTheTreeOfAReduction) {
  EXPECT_EQ(
      draw_one_sided(programs_of("reduce/k_nomial[k=2]", 4, put_form({.out = Sync::allsync}))),
      "one-sided, p = 4     rank 0   rank 1   rank 2   rank 3\n"
      "round 0              -        0:0      -        2:0\n"
      "round 1              -        -        0:0      -\n"
      "round 2              2!       -        -        -\n"
      "round 3              1!       -        3!       -\n"
  );
}

TEST(OneSidedDrawing, ABarrierFollowsABroadcast) {
  EXPECT_EQ(
      draw_one_sided(programs_of("bcast/flat", 4, put_form({.out = Sync::allsync}))),
      "one-sided, p = 4     rank 0   rank 1   rank 2   rank 3\n"
      "round 0              1:0      -        -        -\n"
      "round 1              2:0      -        -        -\n"
      "round 2              3:0      -        -        -\n"
      "round 3              1!       2!       3!       0!\n"
      "round 4              2!       3!       0!       1!\n"
  );
}

TEST(OneSidedDrawing, TheReceiverOfARendezvousGetsTheData) {
  OneSidedForm const form{{.out = Sync::mysync}, AddressMode::local, Mechanism::rendezvous};
  EXPECT_EQ(
      draw_one_sided(programs_of("gather/flat", 3, form, false)),
      "one-sided, p = 3     rank 0   rank 1   rank 2\n"
      "round 0              -        0!       -\n"
      "round 1              1?1      -        -\n"
      "round 2              1!       -        -\n"
      "round 3              -        -        0!\n"
      "round 4              2?2      -        -\n"
      "round 5              2!       -        -\n"
  );
}

TEST(OneSidedDrawing, PutsThatAreAwaitedTogetherRaiseOneCounter) {
  OneSidedForm const form{{}, AddressMode::single, Mechanism::counting_put};
  auto const programs = programs_of("gather/flat", 4, form);
  EXPECT_EQ(
      draw_one_sided(programs),
      "one-sided, p = 4     rank 0   rank 1   rank 2   rank 3\n"
      "round 0              -        0:1      -        -\n"
      "round 1              -        -        0:2      -\n"
      "round 2              -        -        -        0:3\n"
  );
  EXPECT_EQ(programs[0].operations.size(), 1U);
  EXPECT_EQ(programs[0].operations[0].arrivals, 3);
}

TEST(OneSidedDrawing, BlocksThatAreNotDigitsAreRuns) {
  std::string const drawing = draw_one_sided(programs_of("gather/binomial", 11, put_form({})));
  EXPECT_NE(drawing.find(" 0:8-10 "), std::string::npos) << drawing;
}

/// A half barrier up the tree, and the data down, instead of a barrier (two passes) before.
TEST(OneSidedPasses, ABroadcastThatAllEnterHasTwo) {
  constexpr int p = 9;
  int const pass = num_rounds("bcast/chain", p, put_form({}));
  EXPECT_EQ(pass, p - 1);
  EXPECT_EQ(num_rounds("bcast/chain", p, put_form({.in = Sync::allsync})), 2 * pass);
  EXPECT_EQ(num_rounds("bcast/binomial", p, put_form({})), 4);
  EXPECT_EQ(num_rounds("bcast/binomial", p, put_form({.in = Sync::allsync})), 8);
}

/// The data up, and the release down.
TEST(OneSidedPasses, AReductionThatAllLeaveTogetherHasTwo) {
  constexpr int p = 9;
  int const pass = num_rounds("reduce/binomial", p, put_form({}));
  EXPECT_EQ(pass, 4);
  EXPECT_EQ(num_rounds("reduce/binomial", p, put_form({.out = Sync::allsync})), 2 * pass);
}

TEST(OneSidedPasses, OtherFlowsHaveABarrierOfSignals) {
  constexpr int p = 9;
  int const pass = num_rounds("allgather/bruck", p, put_form({}));
  EXPECT_EQ(num_rounds("allgather/bruck", p, put_form({.in = Sync::allsync})), pass + 4);
  EXPECT_EQ(
      num_rounds("allgather/bruck", p, put_form({.in = Sync::allsync, .out = Sync::allsync})),
      pass + 8
  );
}

TEST(OneSidedPasses, ABarrierNeedsNoMode) {
  for (OneSidedForm const& form : test::one_sided_forms()) {
    EXPECT_EQ(num_rounds("barrier/dissemination[k=2]", 8, form), 3);
  }
}

/// Children of a node put into places of their own, so none of them waits for another.
TEST(OneSidedReductions, ChildrenHaveSlotsOfTheirOwn) {
  auto const programs = programs_of("reduce/flat", 5, put_form({.in = Sync::mysync}));
  EXPECT_EQ(programs[0].frame.scratch_like.size(), 4U);
  for (int rank = 1; rank < 5; ++rank) {
    auto const& child = programs[static_cast<std::size_t>(rank)];
    ASSERT_EQ(child.operations.size(), 1U) << rank;
    EXPECT_EQ(child.operations[0].kind, schedule::Kind::put);
  }
}

}  // namespace
}  // namespace espalier::verify
