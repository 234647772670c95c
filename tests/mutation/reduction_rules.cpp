// SPDX-License-Identifier: Apache-2.0

/// @file
/// Rules about operators that do not commute, results with the same bits, and scratch that is
/// written again.

#include <array>
#include <cstddef>
#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/transforms.hpp"
#include "espalier/verify/verify.hpp"
#include "tests/mutation/mutants.hpp"

namespace espalier::mutation {
namespace {

using schedule::blocks;
using schedule::Builder;
using schedule::Collective;
using schedule::Frame;
using schedule::OperandOrder;
using schedule::RankProgram;
using schedule::Slot;
using verify::Contract;
using verify::ProverRule;

constexpr Contract everywhere{.collective = Collective::allreduce, .num_ranks = p};

Frame frame(int num_blocks = 1) {
  return {
      .num_ranks = p,
      .num_output_blocks = num_blocks,
      .input_like = {},
      .scratch_like = {},
      .output_like = {},
  };
}

Programs each_rank(std::function<void(Builder&, int)> const& write, int num_blocks = 1) {
  Programs programs;
  for (int rank = 0; rank < p; ++rank) {
    Builder builder(frame(num_blocks), rank);
    write(builder, rank);
    programs.push_back(std::move(builder).finish());
  }
  return programs;
}

/// One exchange of the whole vector with a partner; `sum` is where the result so far stands, and
/// `spare` where the partner's arrives. The lower rank's operand is on the left.
void exchange(Builder& builder, int partner, Slot& sum, Slot& spare) {
  builder.send(partner, sum).recv(partner, spare);
  builder.next_round(builder.round()).wait_for_sends();
  if (partner < builder.rank()) {
    builder.reduce(sum, spare);
  } else {
    builder.reduce(spare, sum);
    std::swap(sum, spare);
  }
}

Programs recursive_doubling() {
  return each_rank([](Builder& builder, int rank) {
    Slot sum = blocks(0);
    Slot spare = builder.scratch(blocks(0));
    exchange(builder, rank ^ 1, sum, spare);
    exchange(builder.next_round(), rank ^ 2, sum, spare);
    if (sum.buffer != blocks(0).buffer) {
      builder.next_round().copy(blocks(0), sum);
    }
  });
}

/// The chain 0 -> 1 -> 2 -> 3, combined into what arrives or into what stands there.
Programs chain(bool keeps_order) {
  return each_rank([&](Builder& builder, int rank) {
    if (rank > 0) {
      Slot const arrived = builder.scratch(blocks(0));
      builder.next_round(rank - 1).recv(rank - 1, arrived).next_round(rank - 1);
      keeps_order ? builder.reduce(blocks(0), arrived)
                  : builder.reduce(arrived, blocks(0)).next_round().copy(blocks(0), arrived);
    }
    if (rank < p - 1) {
      builder.next_round(rank).send(rank + 1, blocks(0));
    }
  });
}

TEST(MutationSameResult, AcceptsExchangesThatPutTheLowerRankOnTheLeft) {
  for (OperandOrder const order : {OperandOrder::any, OperandOrder::rank}) {
    Contract contract = everywhere;
    contract.order = order;
    verify::Verdict const verdict = verify::verify(recursive_doubling(), contract);
    EXPECT_TRUE(verdict.holds()) << to_string(*verdict.violation);
  }
}

/// Rank 3 combines (2, 3) with (0, 1) in place of (0, 1) with (2, 3): other bits unless the
/// operator commutes.
TEST(MutationSameResult, RejectsSwappedOperandsUnlessTheyCommute) {
  Programs programs = recursive_doubling();
  auto& last = programs[3].operations.back();
  ASSERT_EQ(last.kind, schedule::Kind::reduce);
  std::swap(last.slots, last.sources);
  append(programs[3], [](Builder& builder) {
    builder.next_round(builder.round() - 1)
        .copy(blocks(0), Slot{.buffer = schedule::Buffer::scratch});
  });
  EXPECT_TRUE(verify::verify(programs, everywhere).holds());
  Contract contract = everywhere;
  contract.order = OperandOrder::rank;
  EXPECT_TRUE(breaks(ProverRule::operand_order, programs, contract));
}

/// Ranks 0, 1 and 2 hold (0 1)(2 3), rank 3 holds ((0 1) 2) 3: right, but not the same bits.
TEST(MutationSameResult, RejectsOtherBracketsOnOneRank) {
  Programs programs = each_rank([](Builder& builder, int rank) {
    auto const arrived = [&] { return builder.scratch(blocks(0)); };
    std::array<Slot, p> from{};
    for (int other = 0; other < p; ++other) {
      if (other != rank) {
        from[static_cast<std::size_t>(other)] = arrived();
        builder.send(other, blocks(0)).recv(other, from[static_cast<std::size_t>(other)]);
      }
    }
    from[static_cast<std::size_t>(rank)] = arrived();
    builder.copy(from[static_cast<std::size_t>(rank)], blocks(0));
    builder.next_round(0).wait_for_sends().reduce(from[1], from[0]);
    if (rank == 3) {
      builder.next_round(0).reduce(from[2], from[1]);
      builder.next_round(0).reduce(from[3], from[2]);
    } else {
      builder.reduce(from[3], from[2]);
      builder.next_round(0).reduce(from[3], from[1]);
    }
    builder.next_round(0).copy(blocks(0), from[3]);
  });
  EXPECT_TRUE(breaks(ProverRule::same_result, programs, everywhere));
}

TEST(MutationOperandOrder, TellsLeftFoldsFromOtherBrackets) {
  Contract contract{.collective = Collective::scan, .num_ranks = p, .order = OperandOrder::left};
  EXPECT_TRUE(verify::verify(chain(true), contract).holds());
  EXPECT_TRUE(breaks(ProverRule::operand_order, chain(false), contract));

  contract = everywhere;
  contract.order = OperandOrder::left;
  EXPECT_TRUE(breaks(ProverRule::operand_order, recursive_doubling(), contract));
}

TEST(MutationUnordered, RejectsWritingWhatIsStillBeingSent) {
  Programs programs = recursive_doubling();
  for (RankProgram& program : programs) {
    for (schedule::Operation& operation : program.operations) {
      operation.after_sends = 0;
    }
  }
  EXPECT_TRUE(breaks(ProverRule::unordered, programs, everywhere));
}

TEST(MutationContribution, RejectsAScanThatTakesInALaterRank) {
  Contract const contract{.collective = Collective::scan, .num_ranks = p};
  EXPECT_TRUE(breaks(ProverRule::contribution, recursive_doubling(), contract));
}

TEST(MutationBounds, RejectsWritingMemoryThatARankDoesNotHave) {
  Contract const contract{.collective = Collective::gather, .num_ranks = p};
  Programs programs = each_rank(
      [](Builder& builder, int rank) {
        if (rank == 0) {
          builder.recv(1, blocks(1)).recv(2, blocks(2)).recv(3, blocks(3));
        } else {
          builder.send(0, blocks(rank));
        }
      },
      p
  );
  EXPECT_TRUE(verify::verify(programs, contract).holds());
  append(programs[0], [](Builder& builder) { builder.next_round().send(1, blocks(0)); });
  append(programs[1], [](Builder& builder) { builder.next_round(1).recv(0, blocks(0)); });
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, contract));
}

TEST(MutationPostcondition, RejectsABlockForSomebodyElse) {
  Contract const contract{.collective = Collective::alltoall, .num_ranks = 2};
  Programs programs;
  for (int rank = 0; rank < 2; ++rank) {
    Builder builder(schedule::alltoall_frame(2, rank), rank);
    Slot const input{.buffer = schedule::Buffer::input, .first = 1 - rank};
    builder.send(1 - rank, input).recv(1 - rank, blocks(1 - rank));
    builder.copy(blocks(rank), Slot{.buffer = schedule::Buffer::input, .first = rank});
    programs.push_back(std::move(builder).finish());
  }
  EXPECT_TRUE(verify::verify(programs, contract).holds());
  first_slot(programs[0], 0).first = 0;
  EXPECT_TRUE(breaks(ProverRule::size, programs, contract));
  Contract equal = contract;
  equal.has_equal_blocks = true;
  EXPECT_TRUE(breaks(ProverRule::postcondition, programs, equal));
}

}  // namespace
}  // namespace espalier::mutation
