// SPDX-License-Identifier: Apache-2.0

/// @file
/// Rules about what stands in the result, and about what an algorithm says of itself.

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/transforms.hpp"
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
using verify::Contract;
using verify::ProverRule;

TEST(MutationPostcondition, RejectsLastMessageMissing) {
  Programs programs = ring();
  // In the last round rank 2 sends its last block to rank 3: both ends are gone.
  erase_operation(programs[3], 4);
  erase_operation(programs[2], 5);
  EXPECT_TRUE(breaks(ProverRule::postcondition, programs, gather));
}

/// Blocks have sizes of their own, so data can only be wrong where something was combined.
TEST(MutationPostcondition, RejectsASumWhereDataIsPromised) {
  Programs programs = ring();
  // Block 0 comes last to rank 3 and is not handed on.
  programs[3].frame.scratch_like = {0};
  append(programs[3], [](Builder& builder) {
    Slot const scratch{.buffer = Buffer::scratch, .first = 0};
    builder.next_round().copy(scratch, blocks(0)).next_round().reduce(blocks(0), scratch);
  });
  EXPECT_TRUE(breaks(ProverRule::postcondition, programs, gather));
}

TEST(MutationContribution, RejectsAnOperandLeftOut) {
  Programs programs = generate_reversed("bcast/binomial", p);
  auto& operations = programs[0].operations;
  auto const last = std::ranges::find(operations, Kind::reduce, &Operation::kind);
  erase_operation(programs[0], static_cast<int>(last - operations.begin()));
  EXPECT_TRUE(
      breaks(ProverRule::contribution, programs, {.collective = Collective::reduce, .num_ranks = p})
  );
}

TEST(MutationContribution, RejectsAnOperandTakenTwice) {
  Programs programs = generate_reversed("bcast/binomial", p);
  Operation again = programs[0].operations.back();
  ASSERT_EQ(again.kind, Kind::reduce);
  again.after = static_cast<int>(programs[0].operations.size());
  programs[0].operations.push_back(again);
  EXPECT_TRUE(
      breaks(ProverRule::contribution, programs, {.collective = Collective::reduce, .num_ranks = p})
  );
}

TEST(MutationContribution, IsNotMissedInReduceScatter) {
  Programs programs = generate_reversed("allgather/ring", p);
  Operation again = programs[1].operations.back();
  ASSERT_EQ(again.kind, Kind::reduce);
  again.after = static_cast<int>(programs[1].operations.size());
  programs[1].operations.push_back(again);
  Contract const contract{.collective = Collective::reduce_scatter, .num_ranks = p};
  EXPECT_TRUE(breaks(ProverRule::contribution, programs, contract));
}

/// The received operand stands on the left, so the chain combines from the last rank to the first.
TEST(MutationOperandOrder, RejectsAnotherOrderIfTheOperatorDoesNotCommute) {
  Contract contract{.collective = Collective::reduce, .num_ranks = p, .root = p - 1};
  Programs programs = generate("bcast/chain", p);
  for (RankProgram& program : programs) {
    auto const mirrored = [](int rank) { return p - 1 - rank; };
    program = schedule::reverse(schedule::permute(program, Collective::bcast, mirrored), p - 1);
  }
  std::ranges::reverse(programs);
  contract.order = schedule::OperandOrder::rank;
  EXPECT_TRUE(verify::verify(programs, contract).holds());

  Programs const other = generate_reversed("bcast/chain", p);
  contract.root = 0;
  EXPECT_TRUE(breaks(ProverRule::operand_order, other, contract));
  contract.order = schedule::OperandOrder::any;
  EXPECT_TRUE(verify::verify(other, contract).holds());
}

verify::Verdict prove_as(std::string_view choice, Programs const& programs) {
  return verify::prove(algorithms::Choice::parse(choice), p, 0, programs);
}

TEST(MutationFacts, RejectsMoreRoundsThanPromised) {
  Programs programs = ring();
  for (RankProgram& program : programs) {
    for (Operation& operation : program.operations) {
      ++operation.round;
    }
  }
  EXPECT_TRUE(verify::verify(programs, gather).holds());
  EXPECT_TRUE(breaks(ProverRule::facts, prove_as("allgather/ring", programs)));
}

TEST(MutationFacts, RejectsMoreMessagesThanPromised) {
  Programs programs = generate("bcast/binomial", p);
  // Rank 3 is a leaf: with one message more it still sends fewer than the root; the root does not.
  programs[1].frame.scratch_like = {0};
  append(programs[0], [](Builder& builder) { builder.next_round(1).send(1, blocks(0)); });
  append(programs[1], [](Builder& builder) {
    builder.recv(0, Slot{.buffer = Buffer::scratch, .first = 0});
  });
  EXPECT_TRUE(verify::verify(programs, broadcast).holds());
  EXPECT_TRUE(breaks(ProverRule::facts, prove_as("bcast/binomial", programs)));
}

TEST(MutationFacts, RejectsAMessageInTwoRounds) {
  Programs programs = ring();
  programs[1].operations.back().round = 7;
  EXPECT_TRUE(breaks(ProverRule::facts, programs, gather));
}

TEST(MutationFacts, RejectsRoundsThatAreTooFew) {
  Programs programs = ring();
  for (RankProgram& program : programs) {
    for (Operation& operation : program.operations) {
      operation.round = 0;
    }
  }
  EXPECT_TRUE(breaks(ProverRule::facts, programs, gather));
}

/// With one rank nothing else can be counted.
TEST(MutationFacts, RejectsMorePiecesThanPromised) {
  algorithms::Choice const choice = algorithms::Choice::parse("bcast/binomial");
  Programs programs = generate("bcast/binomial", 1);
  programs[0].frame.num_output_blocks = 2;
  EXPECT_TRUE(breaks(ProverRule::facts, verify::prove(choice, 1, 0, programs)));
}

TEST(MutationName, RejectsARingWhoseNeighboursAreNotNextToIt) {
  constexpr std::array order{0, 2, 1, 3};
  Programs programs(p);
  for (RankProgram const& program : ring()) {
    RankProgram permuted = schedule::permute(program, Collective::allgather, [&](int rank) {
      return order[static_cast<std::size_t>(rank)];
    });
    programs[static_cast<std::size_t>(permuted.rank)] = std::move(permuted);
  }
  EXPECT_TRUE(verify::verify(programs, gather).holds());
  EXPECT_TRUE(breaks(ProverRule::name, prove_as("allgather/ring", programs)));
}

}  // namespace
}  // namespace espalier::mutation
