// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/transforms.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::schedule {
namespace {

Frame frame_of(int num_ranks, int num_blocks) {
  return {
      .num_ranks = num_ranks, .num_output_blocks = num_blocks, .input_like = {}, .scratch_like = {}
  };
}

/// Hears block 0 from rank 0, hands it on to ranks 2 and 3.
RankProgram inner_node() {
  Builder builder(frame_of(4, 1), 1);
  builder.recv(0, blocks(0)).next_round().send(2, blocks(0)).next_round().send(3, blocks(0));
  return std::move(builder).finish();
}

std::vector<int> blocks_of(RankProgram const& program, Operation const& operation) {
  std::vector<int> result;
  for_each_block(program.frame, program.slots(operation), [&](Buffer /*buffer*/, int block) {
    result.push_back(block);
  });
  return result;
}

TEST(FromInput, CopiesBeforeEverythingElse) {
  Builder builder(frame_of(3, 3), 1);
  builder.send(2, blocks(1)).recv(0, blocks(0)).next_round().send(2, blocks(0));
  RankProgram const program = from_input(std::move(builder).finish(), Collective::allgather, 0);
  ASSERT_EQ(program.operations.size(), 4U);
  EXPECT_EQ(program.operations[0].kind, Kind::copy);
  EXPECT_EQ(blocks_of(program, program.operations[0]), std::vector{1});
  EXPECT_EQ(program.sources(program.operations[0])[0].buffer, Buffer::input);
  EXPECT_EQ(program.frame.input_like, std::vector{1});
  EXPECT_EQ(program.operations[1].after, 1);
  EXPECT_EQ(program.operations[3].after, 3);
}

TEST(FromInput, CopiesAllSegmentsOfTheContribution) {
  Builder builder(frame_of(3, 3), 1);
  builder.recv(0, blocks(0)).next_round().send(2, blocks(0));
  RankProgram const program = from_input(
      segment(std::move(builder).finish(), {.num_segments = 2, .period = 1, .window = 1}),
      Collective::allgather,
      0
  );
  EXPECT_EQ(program.frame.input_like, (std::vector{2, 3}));
  EXPECT_EQ(blocks_of(program, program.operations[0]), (std::vector{2, 3}));
  // The receives of both segments and, through them, the sends wait for the copy.
  EXPECT_EQ(program.waits(program.operations[1])[0], 0);
  EXPECT_EQ(program.waits(program.operations[2])[0], 1);
  EXPECT_EQ(program.waits(program.operations[3])[0], 1);
  EXPECT_EQ(program.waits(program.operations[4])[0], 3);
}

TEST(Rotate, MovesRankAndPeersModuloTheNumberOfRanks) {
  RankProgram const program = rotate(inner_node(), 2);
  EXPECT_EQ(program.rank, 3);
  EXPECT_EQ(program.operations[0].peer, 2);
  EXPECT_EQ(program.operations[1].peer, 0);
  EXPECT_EQ(program.operations[2].peer, 1);
  EXPECT_EQ(rotate(program, -2), inner_node());
}

TEST(Segment, WaitsWithinTheSegmentAndLimitsHowManyAreUnderWay) {
  RankProgram const program = segment(inner_node(), {.num_segments = 3, .period = 2, .window = 2});
  ASSERT_EQ(program.operations.size(), 9U);
  EXPECT_TRUE(program.is_dataflow());
  EXPECT_EQ(program.frame.num_output_blocks, 3);
  Operation const& send = program.operations[7];
  EXPECT_EQ(send.kind, Kind::send);
  EXPECT_EQ(send.after, 0);
  EXPECT_EQ(send.round, 1 + 2 * 2);
  EXPECT_EQ(blocks_of(program, send), std::vector{2});
  auto const waits = program.waits(send);
  EXPECT_EQ((std::vector<int>(waits.begin(), waits.end())), (std::vector{6, 1}));
}

TEST(Segment, GivesEveryMessageOfAPairItsOwnTag) {
  Builder builder(frame_of(2, 2), 0);
  builder.send(1, blocks(0)).next_round().send(1, blocks(1));
  RankProgram const program =
      segment(std::move(builder).finish(), {.num_segments = 2, .period = 2, .window = 4});
  std::vector<int> tags;
  for (Operation const& operation : program.operations) {
    tags.push_back(operation.tag);
  }
  EXPECT_EQ(tags, (std::vector{0, 1, 2, 3}));
}

TEST(Segment, CutsCombsAndScratchLabels) {
  Builder builder(
      {.num_ranks = 2, .num_output_blocks = 5, .input_like = {}, .scratch_like = {3}}, 0
  );
  builder.send(1, blocks(1, 3, 2));
  RankProgram const program =
      segment(std::move(builder).finish(), {.num_segments = 2, .period = 1, .window = 4});
  EXPECT_EQ(program.frame.scratch_like, (std::vector{6, 7}));
  EXPECT_EQ(blocks_of(program, program.operations[0]), (std::vector{2, 6, 0}));
  EXPECT_EQ(blocks_of(program, program.operations[1]), (std::vector{3, 7, 1}));
}

TEST(Segment, OfOneSegmentChangesNothing) {
  EXPECT_EQ(segment(inner_node(), {}), inner_node());
}

TEST(Segment, RefusesWhatItCannotCount) {
  EXPECT_THROW(static_cast<void>(segment(inner_node(), {.num_segments = 0})), Error);
  EXPECT_THROW(
      static_cast<void>(segment(inner_node(), {.num_segments = 2, .period = 1, .window = 0})), Error
  );
  EXPECT_THROW(static_cast<void>(segment(inner_node(), {.num_segments = 1 << 30})), Error);
}

TEST(Segment, WaitsOnlyForWhatNoEarlierWaitCovers) {
  Builder builder(frame_of(3, 1), 1);
  Slot const inbox = builder.scratch(blocks(0));
  for (int round = 0; round < 4; ++round) {
    builder.recv(0, inbox).next_round(round).reduce(blocks(0), inbox).next_round();
    builder.send(2, blocks(0)).wait_for_sends();
  }
  RankProgram const program =
      segment(std::move(builder).finish(), {.num_segments = 2, .period = 4, .window = 16});
  std::vector<std::vector<int>> waits;
  for (Operation const& operation : program.operations) {
    auto const own = program.waits(operation);
    waits.emplace_back(own.begin(), own.end());
  }
  // Receive, combination, send; the next receive waits for the send and for what it sent.
  std::vector<std::vector<int>> const first(waits.begin(), waits.begin() + 6);
  EXPECT_EQ(first, (std::vector<std::vector<int>>{{}, {0}, {1}, {1, 2}, {3}, {4}}));
  EXPECT_EQ(waits[12 + 9], (std::vector{12 + 7, 12 + 8}));
}

TEST(Nest, PlacesBlocksAndRanksAndCountsRoundsOn) {
  Builder inner(frame_of(2, 2), 0);
  inner.send(1, blocks(0)).recv(1, blocks(1));
  Builder outer(frame_of(6, 6), 3);
  outer.recv(0, blocks(0)).next_round(4);
  nest(
      outer,
      std::move(inner).finish(),
      {.rank_of = [](int i) { return 3 + i; }, .blocks_of = [](int i) { return blocks(3 * i, 3); }}
  );
  RankProgram const program = std::move(outer).finish();
  EXPECT_EQ(program.operations[1].peer, 4);
  EXPECT_EQ(program.operations[1].round, 4);
  EXPECT_EQ(program.operations[1].after, 1);
  EXPECT_EQ(blocks_of(program, program.operations[2]), (std::vector{3, 4, 5}));
  EXPECT_EQ(program.slots(program.operations[2]).size(), 1U);
}

TEST(Nest, KeepsTheOrderOfScratchBlocksWhenScratchGrows) {
  Builder inner(frame_of(3, 2), 1);
  Slot backwards = inner.scratch(blocks(0, 2));
  backwards.first = 1;
  backwards.stride = -1;
  inner.recv(0, backwards);
  RankProgram const program = std::move(inner).finish();
  ASSERT_EQ(blocks_of(program, program.operations[0]), (std::vector{1, 0}));

  Embedding const same{
      .rank_of = [](int i) { return i; }, .blocks_of = [](int i) { return blocks(i); }
  };
  Builder builder(frame_of(3, 2), 1);
  nest(builder, program, same);
  nest(builder, program, same);
  RankProgram const twice = std::move(builder).finish();
  EXPECT_EQ(blocks_of(twice, twice.operations[0]), (std::vector{1, 0}));
  EXPECT_EQ(blocks_of(twice, twice.operations[1]), (std::vector{3, 2}));
}

TEST(Nest, RefusesProgramsThatDoMoreThanMoveOutputBlocks) {
  Embedding const same{
      .rank_of = [](int i) { return i; }, .blocks_of = [](int i) { return blocks(i); }
  };
  Builder outer(frame_of(3, 3), 1);
  Builder inner(frame_of(3, 3), 1);
  inner.send(2, blocks(1));
  EXPECT_THROW(
      nest(outer, from_input(std::move(inner).finish(), Collective::allgather, 0), same), Error
  );
  EXPECT_THROW(
      nest(outer, segment(inner_node(), {.num_segments = 2, .period = 2, .window = 1}), same), Error
  );
}

TEST(Permute, LetsBlocksFollowRanksOnlyWhereEachRankHasOne) {
  auto const reversed = [](int i) { return 3 - i; };
  RankProgram const tree = permute(inner_node(), Collective::bcast, reversed);
  EXPECT_EQ(tree.rank, 2);
  EXPECT_EQ(tree.operations[0].peer, 3);
  EXPECT_EQ(blocks_of(tree, tree.operations[0]), std::vector{0});

  Builder builder(frame_of(4, 4), 1);
  builder.send(2, blocks(0, 2));
  RankProgram const gather = permute(std::move(builder).finish(), Collective::allgather, reversed);
  EXPECT_EQ(blocks_of(gather, gather.operations[0]), (std::vector{3, 2}));
}

TEST(Batch, MergesMessagesOfARoundInOrder) {
  Builder builder(frame_of(4, 8), 0);
  builder.send(1, blocks(0)).send(2, blocks(5)).send(1, blocks(2)).send(1, blocks(3));
  builder.next_round().send(1, blocks(4));
  RankProgram const program = batch(std::move(builder).finish(), 2);
  ASSERT_EQ(program.operations.size(), 4U);
  EXPECT_EQ(blocks_of(program, program.operations[0]), (std::vector{0, 2}));
  EXPECT_EQ(program.slots(program.operations[0]).size(), 1U);
  EXPECT_EQ(blocks_of(program, program.operations[1]), std::vector{5});
  EXPECT_EQ(blocks_of(program, program.operations[2]), std::vector{3});
  EXPECT_EQ(program.operations[3].round, 1);
}

TEST(Batch, KeepsLocalOperationsWhole) {
  Builder builder(frame_of(4, 8), 0);
  std::vector const to{blocks(0), blocks(5)};
  std::vector const from{blocks(2), blocks(3)};
  builder.copy(to, from);
  RankProgram const original = std::move(builder).finish();
  EXPECT_EQ(batch(original, 3), original);
  EXPECT_THROW(static_cast<void>(batch(original, 0)), Error);
}

TEST(Reverse, ReceivesWhatWasSentAndCombinesIt) {
  RankProgram const program = reverse(inner_node(), 3);
  ASSERT_EQ(program.operations.size(), 5U);
  EXPECT_EQ(program.operations[0].kind, Kind::recv);
  EXPECT_EQ(program.operations[0].peer, 3);
  EXPECT_EQ(program.operations[0].round, 0);
  EXPECT_EQ(program.operations[1].kind, Kind::reduce);
  EXPECT_EQ(program.sources(program.operations[1])[0].buffer, Buffer::scratch);
  EXPECT_EQ(program.operations[4].kind, Kind::send);
  EXPECT_EQ(program.operations[4].peer, 0);
  EXPECT_EQ(program.operations[4].round, 2);
  EXPECT_EQ(program.operations[4].after, 4);
  EXPECT_EQ(program.frame.scratch_like, (std::vector{0, 0}));
}

TEST(Reverse, RefusesCopiesAndOtherBuffers) {
  Builder copying(frame_of(4, 4), 1);
  copying.copy(blocks(0), blocks(1));
  EXPECT_THROW(static_cast<void>(reverse(std::move(copying).finish(), 1)), Error);
  Builder scratch(
      {.num_ranks = 2, .num_output_blocks = 1, .input_like = {}, .scratch_like = {0}}, 0
  );
  scratch.send(1, Slot{.buffer = Buffer::scratch});
  EXPECT_THROW(static_cast<void>(reverse(std::move(scratch).finish(), 1)), Error);
}

TEST(AppendCoalesced, JoinsArithmeticSequencesThatMayWrap) {
  std::vector<Slot> slots;
  for (int const block : {4, 0, 2, 4}) {
    append_coalesced(slots, blocks(block), 6);
  }
  EXPECT_EQ(slots, std::vector{blocks(4, 4, 2)});
  append_coalesced(slots, blocks(1), 6);
  EXPECT_EQ(slots.size(), 2U);
  append_coalesced(slots, {.buffer = Buffer::scratch}, 6);
  EXPECT_EQ(slots.size(), 3U);
}

}  // namespace
}  // namespace espalier::schedule
