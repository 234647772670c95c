// SPDX-License-Identifier: Apache-2.0

/// @file
/// Rules about messages without data, and about barriers.

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/verify/verify.hpp"
#include "tests/mutation/mutants.hpp"

namespace espalier::mutation {
namespace {

using schedule::Builder;
using schedule::Collective;
using verify::Contract;
using verify::ProverRule;

constexpr Contract barrier{.collective = Collective::barrier, .num_ranks = p};

Programs dissemination() {
  Programs programs;
  for (int rank = 0; rank < p; ++rank) {
    Builder builder({.num_ranks = p, .num_output_blocks = 0}, rank);
    for (int distance = 1; distance < p; distance *= 2) {
      builder.send_signal(wrap(rank + distance, p)).recv_signal(wrap(rank - distance, p));
      builder.next_round();
    }
    programs.push_back(std::move(builder).finish());
  }
  return programs;
}

TEST(MutationArrivals, AcceptsDissemination) {
  verify::Verdict const verdict = verify::verify(dissemination(), barrier);
  EXPECT_TRUE(verdict.holds()) << to_string(*verdict.violation);
}

TEST(MutationArrivals, RejectsARankThatDoesNotWaitBeforeItTells) {
  Programs programs = dissemination();
  // The second signal of rank 1 no longer waits for the first signal of rank 0.
  ASSERT_EQ(programs[1].operations[2].kind, schedule::Kind::send);
  programs[1].operations[2].after = 0;
  EXPECT_TRUE(breaks(ProverRule::postcondition, programs, barrier));
}

/// The send of the last round stands first and waits for nothing: it may overtake the others.
TEST(MutationArrivals, RejectsASendThatOvertakesWhatItShouldTell) {
  Programs programs = dissemination();
  auto& operations = programs[1].operations;
  ASSERT_EQ(operations[2].kind, schedule::Kind::send);
  std::rotate(operations.begin(), operations.begin() + 2, operations.begin() + 3);
  operations[0].after = 0;
  EXPECT_TRUE(breaks(ProverRule::postcondition, programs, barrier));
}

TEST(MutationArrivals, RejectsARoundLeftOut) {
  Programs programs = dissemination();
  for (auto& program : programs) {
    erase_operation(program, 3);
    erase_operation(program, 2);
  }
  EXPECT_TRUE(breaks(ProverRule::postcondition, programs, barrier));
}

TEST(MutationSize, RejectsASignalWhereDataIsExpected) {
  Programs programs = generate("bcast/flat", 2);
  programs[0].operations[0].slots = {};
  EXPECT_TRUE(breaks(ProverRule::size, programs, {.collective = Collective::bcast, .num_ranks = 2})
  );
}

TEST(MutationBounds, RejectsBlocksInABarrier) {
  Programs programs = dissemination();
  programs[2].frame.num_output_blocks = 1;
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, barrier));
}

}  // namespace
}  // namespace espalier::mutation
