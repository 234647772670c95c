// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/builder.hpp"

#include <array>
#include <span>
#include <utility>

#include <gtest/gtest.h>

namespace espalier::schedule {
namespace {

Frame frame_of(int num_blocks, std::vector<int> scratch_like = {}) {
  return {
      .num_ranks = 4,
      .num_output_blocks = num_blocks,
      .input_like = {},
      .scratch_like = std::move(scratch_like),
  };
}

TEST(Builder, TakesBlockNumbersAndStridesModuloTheBuffer) {
  Builder builder(frame_of(5), 0);
  builder.send(1, blocks(-1)).send(1, blocks(12, 2, -1)).send(1, blocks(3, 5, 6));
  RankProgram const program = std::move(builder).finish();
  EXPECT_EQ(program.slot_pool[0], blocks(4, 1, 1));
  EXPECT_EQ(program.slot_pool[1], blocks(2, 2, 4));
  EXPECT_EQ(program.slot_pool[2], blocks(3, 5, 1));
}

TEST(Builder, GivesSingleBlocksOneStrideSoThatEqualProgramsCompareEqual) {
  Builder builder(frame_of(5), 0);
  builder.send(1, blocks(2, 1, 3)).send(1, blocks(2, 1, 0));
  RankProgram const program = std::move(builder).finish();
  EXPECT_EQ(program.slot_pool[0], program.slot_pool[1]);
}

TEST(Builder, LeavesOutWhatHasNoBlock) {
  Builder builder(frame_of(5), 0);
  std::array const slots{blocks(1, 0), blocks(2, 2), blocks(4, 0)};
  builder.send(1, blocks(3, 0)).recv(1, std::span<Slot const>{}).send(1, slots);
  RankProgram const program = std::move(builder).finish();
  ASSERT_EQ(program.operations.size(), 1U);
  ASSERT_EQ(program.slots(program.operations[0]).size(), 1U);
  EXPECT_EQ(program.slots(program.operations[0])[0], blocks(2, 2));
}

TEST(Builder, PostsReceivesAheadOfTheirRound) {
  Builder builder(frame_of(5), 0);
  builder.recv(1, blocks(1)).next_round();
  builder.recv_ahead(4, 2, blocks(2)).recv_ahead(5, 2, blocks(2, 0)).send(3, blocks(1));
  builder.next_round().send(3, blocks(2));
  builder.recv_ahead(6, 2, blocks(3), builder.num_operations());
  RankProgram const program = std::move(builder).finish();
  ASSERT_EQ(program.operations.size(), 5U);
  EXPECT_EQ(program.operations[1].round, 4);
  EXPECT_EQ(program.operations[1].after, 0);
  EXPECT_EQ(program.operations[2].round, 1);
  EXPECT_EQ(program.operations[2].after, 1);
  EXPECT_EQ(program.operations[3].after, 3);
  EXPECT_EQ(program.operations[4].round, 6);
  EXPECT_EQ(program.operations[4].after, 4);
}

TEST(Builder, LetsOperationsWaitForEarlierRoundsOnly) {
  Builder builder(frame_of(5), 0);
  builder.recv(1, blocks(1)).recv(2, blocks(2)).next_round();
  builder.send(3, blocks(1)).recv(3, blocks(3)).next_round(7);
  builder.send(2, blocks(3));
  RankProgram const program = std::move(builder).finish();
  EXPECT_EQ(program.operations[1].after, 0);
  EXPECT_EQ(program.operations[2].after, 2);
  EXPECT_EQ(program.operations[3].after, 2);
  EXPECT_EQ(program.operations[3].round, 1);
  EXPECT_EQ(program.operations[4].after, 4);
  EXPECT_EQ(program.operations[4].round, 7);
}

TEST(Builder, NeverGoesBackInRounds) {
  Builder builder(frame_of(5), 0);
  builder.next_round(4).next_round(2);
  EXPECT_EQ(builder.round(), 4);
}

TEST(Builder, ContinuesAProgramAfterAllItsWrites) {
  Builder first(frame_of(5), 2);
  first.recv(1, blocks(1)).next_round().recv(3, blocks(3));
  Builder second(std::move(first).finish());
  EXPECT_EQ(second.rank(), 2);
  EXPECT_EQ(second.round(), 2);
  second.send(0, blocks(3));
  RankProgram const program = std::move(second).finish();
  EXPECT_EQ(program.operations.back().after, 2);
  EXPECT_EQ(program.operations.back().round, 2);
}

TEST(Builder, KeepsOperandsOfLocalOperationsApart) {
  Builder builder(frame_of(5, {1, 2}), 0);
  builder.reduce(blocks(1, 2), {.buffer = Buffer::scratch, .first = 0, .num_blocks = 2});
  RankProgram const program = std::move(builder).finish();
  Operation const& reduce = program.operations[0];
  EXPECT_EQ(reduce.kind, Kind::reduce);
  EXPECT_EQ(reduce.peer, -1);
  EXPECT_EQ(program.slots(reduce)[0], blocks(1, 2));
  EXPECT_EQ(program.sources(reduce)[0].buffer, Buffer::scratch);
}

TEST(RankProgram, CountsRoundsMessagesAndBlocksOfCommunicationOnly) {
  Builder builder(frame_of(5, {0}), 0);
  builder.send(1, blocks(0, 3)).send(2, blocks(4)).recv(3, blocks(1)).next_round(5);
  builder.copy({.buffer = Buffer::scratch, .first = 0}, blocks(0));
  RankProgram const program = std::move(builder).finish();
  EXPECT_EQ(program.num_rounds(), 1);
  EXPECT_EQ(program.num_messages_sent(), 2);
  EXPECT_EQ(program.num_blocks_sent(), 4);
  EXPECT_FALSE(program.is_dataflow());
  EXPECT_GE(program.memory_bytes(), 4 * sizeof(Operation) + 5 * sizeof(Slot));
}

TEST(Frame, NamesTheOutputBlockOfEqualSize) {
  Frame const frame{
      .num_ranks = 3, .num_output_blocks = 3, .input_like = {2}, .scratch_like = {1, 0}
  };
  EXPECT_EQ(frame.like(Buffer::input, 0), 2);
  EXPECT_EQ(frame.like(Buffer::output, 1), 1);
  EXPECT_EQ(frame.like(Buffer::scratch, 1), 0);
  EXPECT_EQ(frame.num_blocks(Buffer::input), 1);
  EXPECT_EQ(frame.num_blocks(Buffer::scratch), 2);
}

TEST(ForEachBlock, VisitsRunsThatWrapAndCombs) {
  Frame const frame = frame_of(6);
  std::array const slots{blocks(4, 3, 1), blocks(1, 3, 4)};
  std::vector<int> visited;
  for_each_block(frame, slots, [&](Buffer /*buffer*/, int block) { visited.push_back(block); });
  EXPECT_EQ(visited, (std::vector{4, 5, 0, 1, 5, 3}));
  EXPECT_EQ(num_blocks(slots), 6);
}

TEST(Builder, CountsOneSidedOperations) {
  Builder builder(frame_of(4), 0);
  builder.signal(1, 0).await(2, 3).next_round().put(1, blocks(0, 2), blocks(1, 2), 1);
  builder.get(1, blocks(3), blocks(0)).next_round().copy(blocks(2), blocks(3));
  RankProgram const program = std::move(builder).finish();
  EXPECT_TRUE(program.is_one_sided());
  EXPECT_EQ(program.num_counters(), 3);
  EXPECT_EQ(program.num_messages_sent(), 3);
  EXPECT_EQ(program.num_blocks_sent(), 3);
  EXPECT_EQ(program.num_rounds(), 2);
  // An await and a get are waited for as writes are, a signal and a put are not.
  std::vector<int> awaited;
  for_each_wait(program, program.operations[4], [&](int i) { awaited.push_back(i); });
  EXPECT_EQ(awaited, (std::vector{1, 3}));
}

TEST(Builder, LeavesSlotsOfAPeerAsTheyAre) {
  Builder builder(frame_of(4), 0);
  Slot const far{.buffer = Buffer::output, .first = 9, .num_blocks = 2, .stride = 6};
  RankProgram const program = std::move(builder.put(1, far, blocks(0, 2))).finish();
  EXPECT_EQ(program.slots(program.operations[0])[0], far);
  EXPECT_EQ(program.operations[0].tag, no_counter);
  std::vector<int> visited;
  for_each_remote_block(program.slots(program.operations[0]), [&](Buffer, int block) {
    visited.push_back(block);
  });
  EXPECT_EQ(visited, (std::vector{9, 15}));
}

}  // namespace
}  // namespace espalier::schedule
