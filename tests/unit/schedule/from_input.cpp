// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

Frame frame_of(int num_ranks, int num_blocks) {
  return {
      .num_ranks = num_ranks,
      .num_output_blocks = num_blocks,
      .input_like = {},
      .scratch_like = {},
      .output_like = {},
  };
}

std::vector<Buffer> buffers_read(RankProgram const& program) {
  std::vector<Buffer> result;
  for (Operation const& operation : program.operations) {
    if (operation.kind != Kind::recv) {
      auto const read =
          operation.kind == Kind::send ? program.slots(operation) : program.sources(operation);
      result.push_back(read.front().buffer);
    }
  }
  return result;
}

TEST(FromInput, LetsALeafOfAReductionSendItsInput) {
  Builder builder(frame_of(2, 3), 1);
  builder.send(0, blocks(0, 3));
  RankProgram const program = from_input(std::move(builder).finish(), Collective::reduce, 0);
  EXPECT_EQ(program.operations.size(), 1U);
  EXPECT_EQ(buffers_read(program), std::vector{Buffer::input});
  EXPECT_EQ(program.frame.input_like, (std::vector{0, 1, 2}));
}

TEST(FromInput, CopiesWhatIsUpdated) {
  Builder builder(frame_of(2, 1), 0);
  Slot const arrived = builder.scratch(blocks(0));
  builder.recv(1, arrived).next_round(0).reduce(blocks(0), arrived);
  RankProgram const program = from_input(std::move(builder).finish(), Collective::reduce, 0);
  ASSERT_EQ(program.operations.size(), 3U);
  EXPECT_EQ(program.operations[0].kind, Kind::copy);
  EXPECT_EQ(buffers_read(program), (std::vector{Buffer::input, Buffer::scratch}));
}

TEST(FromInput, ReadsTheInputUntilTheOutputIsOverwritten) {
  Builder builder(frame_of(2, 1), 0);
  Slot const sum = builder.scratch(blocks(0));
  builder.send(1, blocks(0)).recv(1, sum).next_round(0).reduce(sum, blocks(0));
  builder.next_round(0).wait_for_sends().copy(blocks(0), sum).next_round().send(1, blocks(0));
  RankProgram const program = from_input(std::move(builder).finish(), Collective::allreduce, 0);
  EXPECT_EQ(
      buffers_read(program),
      (std::vector{Buffer::input, Buffer::input, Buffer::scratch, Buffer::output})
  );
}

/// A message comes from one buffer: where part of it is not the contribution, all of it is copied.
TEST(FromInput, CopiesAContributionThatTravelsWithOtherBlocks) {
  Builder builder(frame_of(2, 2), 0);
  Slot const arrived = builder.scratch(blocks(0));
  builder.recv(1, arrived).next_round(0).reduce(blocks(0), arrived);
  builder.next_round().send(1, blocks(0, 2));
  RankProgram const program = from_input(std::move(builder).finish(), Collective::allreduce, 0);
  EXPECT_EQ(program.operations[0].kind, Kind::copy);
  EXPECT_EQ(num_blocks(program.slots(program.operations[0])), 2);
  EXPECT_EQ(buffers_read(program).back(), Buffer::output);
}

TEST(FromInput, GivesTheRootOfAScatterAnInputForAllRanks) {
  Builder builder(frame_of(3, 3), 1);
  builder.send(0, blocks(0)).send(2, blocks(2));
  RankProgram const root = from_input(std::move(builder).finish(), Collective::scatter, 1);
  EXPECT_EQ(root.frame.input_like, (std::vector{0, 1, 2}));
  // Its own part is copied, the others leave from the input.
  EXPECT_EQ(root.operations[0].kind, Kind::copy);
  EXPECT_EQ(buffers_read(root), (std::vector{Buffer::input, Buffer::input, Buffer::input}));

  Builder other(frame_of(3, 3), 2);
  other.recv(1, blocks(2));
  RankProgram const leaf = from_input(std::move(other).finish(), Collective::scatter, 1);
  EXPECT_TRUE(leaf.frame.input_like.empty());
  EXPECT_EQ(leaf.operations.size(), 1U);
}

}  // namespace
}  // namespace espalier::schedule
