// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/memory/unwrap.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "espalier/schedule/builder.hpp"

namespace espalier::exec {
namespace {

using schedule::blocks;
using schedule::Builder;
using schedule::RankProgram;
using schedule::Slot;

schedule::Frame frame(int num_blocks) {
  return {.num_ranks = 9, .num_output_blocks = num_blocks, .input_like = {}, .scratch_like = {}};
}

/// Blocks of each message in order.
std::vector<std::vector<int>> messages(RankProgram const& program) {
  std::vector<std::vector<int>> result;
  for (schedule::Operation const& operation : program.operations) {
    auto& message = result.emplace_back();
    schedule::for_each_block(
        program.frame,
        program.slots(operation),
        [&](schedule::Buffer, int block) { message.push_back(block); }
    );
  }
  return result;
}

TEST(Unwrap, CutsARunThatWrapsAndKeepsTheWaits) {
  Builder builder(frame(8), 0);
  builder.send(1, blocks(6, 4)).recv(2, blocks(0, 3)).next_round().send(3, blocks(7, 2));
  RankProgram const cut = unwrap(std::move(builder).finish(), Layout::uniform(8, 10, 1), 1, 20);
  EXPECT_EQ(messages(cut), (std::vector<std::vector<int>>{{6, 7}, {0, 1}, {0, 1, 2}, {7}, {0}}));
  EXPECT_EQ(cut.operations[2].after, 0);
  EXPECT_EQ(cut.operations[3].after, 3);
  EXPECT_EQ(cut.operations[4].after, 3);
  EXPECT_EQ(cut.operations[4].peer, 3);
}

TEST(Unwrap, LeavesSmallMessages) {
  RankProgram const program = std::move(Builder(frame(8), 0).send(1, blocks(6, 4))).finish();
  Layout const layout = Layout::uniform(8, 10, 4);
  EXPECT_EQ(messages(unwrap(program, layout, 4, 161)), messages(program));
  EXPECT_NE(messages(unwrap(program, layout, 4, 160)), messages(program));
}

TEST(Unwrap, TheSameBlocksAreCutTheSameWhateverSlotsTheyAreWrittenWith) {
  std::vector<Slot> const slots{blocks(7), blocks(0, 2)};
  RankProgram const two = std::move(Builder(frame(8), 0).send(1, slots)).finish();
  RankProgram const one = std::move(Builder(frame(8), 0).send(1, blocks(7, 3))).finish();
  Layout const layout = Layout::uniform(8, 10, 1);
  EXPECT_EQ(messages(unwrap(one, layout, 1, 1)), messages(unwrap(two, layout, 1, 1)));
}

TEST(Unwrap, ScratchIsCutWhereItsLabelsWrap) {
  Builder to_scratch(frame(8), 0);
  Slot const kept = to_scratch.scratch(blocks(6, 4));
  RankProgram const one = std::move(to_scratch.recv(1, kept)).finish();
  RankProgram const two = std::move(Builder(frame(8), 1).send(0, blocks(6, 4))).finish();
  Layout const layout = Layout::uniform(8, 10, 1);
  RankProgram const cut = unwrap(one, layout, 1, 40);
  EXPECT_EQ(messages(cut), (std::vector<std::vector<int>>{{0, 1}, {2, 3}}));
  EXPECT_EQ(cut.slots(cut.operations[1])[0].buffer, schedule::Buffer::scratch);
  EXPECT_EQ(messages(unwrap(two, layout, 1, 40)).size(), 2U);
}

TEST(Unwrap, WaitsForSendsMoveWithTheirOperations) {
  Builder builder(frame(8), 0);
  builder.send(1, blocks(6, 4)).wait_for_sends().recv(2, blocks(6));
  RankProgram const cut = unwrap(std::move(builder).finish(), Layout::uniform(8, 10, 1), 1, 20);
  EXPECT_EQ(cut.operations[2].after_sends, 2);
}

}  // namespace
}  // namespace espalier::exec
