// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/private_memory.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

Frame frame(int num_blocks) {
  return {.num_ranks = 4, .num_output_blocks = num_blocks, .input_like = {}, .scratch_like = {}};
}

Slot scratch(int first, int num_blocks = 1) {
  return {.buffer = Buffer::scratch, .first = first, .num_blocks = num_blocks, .stride = 1};
}

TEST(PrivateMemory, OutputMovesToScratchAndResultsAreCopiedLast) {
  Builder builder(frame(5), 2);
  Slot const own = builder.scratch(blocks(1));
  builder.recv(1, own).next_round().send(0, blocks(3, 2)).reduce(blocks(3), own);
  RankProgram const program =
      with_private_output(std::move(builder).finish(), {.begin = 3, .size = 1});
  EXPECT_EQ(program.frame.scratch_like, (std::vector<int>{1, 3, 4}));
  ASSERT_EQ(program.operations.size(), 4U);
  EXPECT_EQ(program.slots(program.operations[1])[0], scratch(1, 2));
  EXPECT_EQ(program.slots(program.operations[2])[0], scratch(1));
  Operation const& last = program.operations[3];
  EXPECT_EQ(last.kind, Kind::copy);
  EXPECT_EQ(program.slots(last)[0], blocks(3));
  EXPECT_EQ(program.sources(last)[0], scratch(1));
  EXPECT_EQ(last.after, 3);
  EXPECT_EQ(last.after_sends, 3);
}

TEST(PrivateMemory, WithoutResultsNothingIsCopied) {
  RankProgram const program =
      with_private_output(std::move(Builder(frame(2), 1).send(0, blocks(0, 2))).finish(), {});
  EXPECT_EQ(program.operations.size(), 1U);
  EXPECT_FALSE(touches_output_outside(program, {}));
}

TEST(PrivateMemory, InputOfAnAlltoallIsCopiedFirst) {
  Builder builder(alltoall_frame(3, 1), 1);
  Slot const to_left{.buffer = Buffer::input, .first = 0};
  builder.send(0, to_left).recv(2, blocks(2)).wait_for_sends();
  builder.copy(blocks(1), Slot{.buffer = Buffer::input, .first = 1});
  RankProgram const program = with_private_input(std::move(builder).finish());
  EXPECT_TRUE(program.frame.input_like.empty());
  EXPECT_EQ(program.frame.scratch_like, (std::vector<int>{1, 4}));
  Operation const& first = program.operations[0];
  EXPECT_EQ(program.slots(first)[0], scratch(0, 2));
  EXPECT_EQ(program.sources(first)[0], blocks(0, 2));
  EXPECT_EQ(program.slots(program.operations[1])[0], scratch(0));
  EXPECT_EQ(program.operations[1].after, 1);
  EXPECT_EQ(program.operations[2].after, 1);
  EXPECT_EQ(program.operations[3].after_sends, 3);
}

TEST(PrivateMemory, RootMayReadItsInputInPlaceOfTheOutput) {
  RankProgram const program =
      with_input_for_output(std::move(Builder(frame(4), 0).send(1, blocks(1))).finish());
  EXPECT_EQ(program.frame.input_like, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(program.slots(program.operations[0])[0].buffer, Buffer::input);
}

TEST(PrivateMemory, TouchingLooksAtAllOperands) {
  Builder builder(frame(4), 0);
  Slot const kept = builder.scratch(blocks(1));
  builder.copy(kept, blocks(2));
  RankProgram const program = std::move(builder).finish();
  EXPECT_FALSE(touches_output_outside(program, {.begin = 2, .size = 1}));
  EXPECT_TRUE(touches_output_outside(program, {.begin = 1, .size = 1}));
}

/// Sends its contribution to block 0 and combines into it what it gets.
RankProgram updating(int rank) {
  Builder builder(frame(4), rank);
  Slot const received = builder.scratch(blocks(0));
  builder.recv(3, received).next_round().reduce(blocks(0), received).next_round();
  builder.send(3, blocks(0));
  return std::move(builder).finish();
}

TEST(AsCalled, InPlaceIsHowProgramsAreWritten) {
  EXPECT_EQ(as_called(updating(1), Collective::allreduce, 0, true), updating(1));
}

TEST(AsCalled, RankWithoutResultKeepsItsSumsInScratch) {
  RankProgram const root = as_called(updating(0), Collective::reduce, 0, false);
  EXPECT_TRUE(touches_output_outside(root, {}));
  RankProgram const other = as_called(updating(1), Collective::reduce, 0, false);
  EXPECT_FALSE(touches_output_outside(other, {}));
  EXPECT_EQ(other.frame.input_like.size(), 4U);
  EXPECT_EQ(other.operations.size(), updating(1).operations.size() + 1);
}

TEST(AsCalled, ReduceScatterWritesItsResultLastWhenItIsInPlace) {
  RankProgram const program = as_called(updating(0), Collective::reduce_scatter, 0, true);
  Operation const& last = program.operations.back();
  EXPECT_EQ(program.slots(last)[0], blocks(0));
  EXPECT_EQ(last.after_sends, static_cast<int>(program.operations.size()) - 1);
}

TEST(AsCalled, ScatteringRootInPlaceWritesNothing) {
  RankProgram const program = std::move(Builder(frame(4), 0).send(1, blocks(1))).finish();
  EXPECT_EQ(as_called(program, Collective::scatter, 0, true).operations.size(), 1U);
  EXPECT_EQ(as_called(program, Collective::scatter, 0, false).operations.size(), 2U);
}

}  // namespace
}  // namespace espalier::schedule
