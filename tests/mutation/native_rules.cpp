// SPDX-License-Identifier: Apache-2.0

/// @file
/// Native phases that are not what their collective needs, or not the same for all members.

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/verify/verify.hpp"
#include "tests/mutation/mutants.hpp"

namespace espalier::mutation {
namespace {

using algorithms::Choice;
using schedule::Collective;
using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;
using verify::Contract;
using verify::ProverRule;

constexpr int num_ranks = 6;

Programs generated(char const* choice, int root = 0) {
  return verify::generate_all(Choice::parse(choice), num_ranks, root);
}

Programs orthogonal() {
  return generated("allgather/orthogonal[rows=2,inner=native,across=native]");
}

constexpr Contract gather_of_all{.collective = Collective::allgather, .num_ranks = num_ranks};

Operation& native_of(RankProgram& program, int number) {
  auto const is_meant = [&](Operation const& operation) {
    return operation.kind == Kind::native && operation.tag == number;
  };
  return *std::ranges::find_if(program.operations, is_meant);
}

TEST(MutationNative, AcceptsWhatIsNotChanged) {
  EXPECT_TRUE(verify::verify(orthogonal(), gather_of_all).holds());
}

TEST(MutationNative, RejectsAMemberThatMakesNoCall) {
  Programs programs = orthogonal();
  programs[4].operations.pop_back();
  EXPECT_TRUE(breaks(ProverRule::unmatched, programs, gather_of_all));
}

TEST(MutationNative, RejectsAnotherOrderOfMembers) {
  Programs programs = orthogonal();
  std::swap(programs[1].native_calls[0].members[1], programs[1].native_calls[0].members[2]);
  EXPECT_TRUE(breaks(ProverRule::unmatched, programs, gather_of_all));
}

/// All agree on it, and all get the blocks of each other in the wrong places.
TEST(MutationNative, RejectsAnOrderThatIsNotThatOfTheBlocks) {
  Programs programs = orthogonal();
  for (int rank = 0; rank < 3; ++rank) {
    auto& members = programs[static_cast<std::size_t>(rank)].native_calls[0].members;
    std::swap(members[1], members[2]);
  }
  EXPECT_FALSE(verify::verify(programs, gather_of_all).holds());
}

/// First between rows, where the rows are not yet there to be sent.
TEST(MutationNative, RejectsPhasesInTheWrongOrder) {
  Programs programs = orthogonal();
  for (RankProgram& program : programs) {
    std::swap(program.operations[0], program.operations[1]);
    program.operations[0].after = program.operations[0].after_sends = 0;
    program.operations[1].after = program.operations[1].after_sends = 1;
  }
  EXPECT_TRUE(breaks(ProverRule::not_held, programs, gather_of_all));
}

TEST(MutationNative, RejectsABlockTooFew) {
  Programs programs = orthogonal();
  Operation const& between = native_of(programs[0], 1);
  programs[0].slot_pool[static_cast<std::size_t>(between.sources.begin)].num_blocks = 2;
  EXPECT_FALSE(verify::verify(programs, gather_of_all).holds());
}

TEST(MutationNative, RejectsBlocksThatCannotBeDealt) {
  Programs programs = orthogonal();
  Operation const& within = native_of(programs[0], 0);
  programs[0].slot_pool[static_cast<std::size_t>(within.slots.begin)].num_blocks = 2;
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, gather_of_all));
}

TEST(MutationNative, RejectsACallThatDoesNotWait) {
  Programs programs = orthogonal();
  native_of(programs[3], 1).after = 0;
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, gather_of_all));
}

TEST(MutationNative, RejectsACallAmongOthers) {
  Programs programs = orthogonal();
  programs[5].native_calls[1].members = {0, 1};
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, gather_of_all));
  programs = orthogonal();
  programs[5].native_calls[1].root = 2;
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, gather_of_all));
}

TEST(MutationNative, RejectsAnotherRoot) {
  Programs programs = generated("bcast/orthogonal[rows=2,inner=native,across=binomial]");
  Contract const contract{.collective = Collective::bcast, .num_ranks = num_ranks};
  ASSERT_TRUE(verify::verify(programs, contract).holds());
  programs[4].native_calls[0].root = 1;
  EXPECT_TRUE(breaks(ProverRule::unmatched, programs, contract));
}

TEST(MutationNative, RejectsAnotherCollective) {
  Programs programs = generated("allreduce/orthogonal[rows=2,inner=native,across=native]");
  Contract const contract{.collective = Collective::allreduce, .num_ranks = num_ranks};
  ASSERT_TRUE(verify::verify(programs, contract).holds());
  for (RankProgram& program : programs) {
    program.native_calls[0].collective = Collective::reduce;
  }
  EXPECT_FALSE(verify::verify(programs, contract).holds());
}

/// Two ranks wait for each other in two calls.
TEST(MutationNative, RejectsCallsInAnOrderThatEndsNowhere) {
  Programs programs = generated("allreduce/orthogonal[rows=2,inner=native,across=native]");
  std::swap(programs[4].native_calls[0], programs[4].native_calls[1]);
  Contract const contract{.collective = Collective::allreduce, .num_ranks = num_ranks};
  EXPECT_FALSE(verify::verify(programs, contract).holds());
}

}  // namespace
}  // namespace espalier::mutation
