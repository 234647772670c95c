// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

Slot scratch(int first, int num_blocks = 1) {
  return {.buffer = Buffer::scratch, .first = first, .num_blocks = num_blocks};
}

std::vector<int> blocks_of(RankProgram const& program, std::span<Slot const> slots) {
  std::vector<int> result;
  for_each_block(program.frame, slots, [&](Buffer /*buffer*/, int block) {
    result.push_back(block);
  });
  return result;
}

/// Two blocks of rank 0 wait in scratch, those of rank 2 take their places.
RankProgram reusing() {
  Builder builder(alltoall_frame(3, 1), 1);
  Slot const places = builder.scratch(blocks(0, 2));
  builder.recv(0, places).next_round();
  builder.send(2, scratch(places.first + 1)).next_round().wait_for_sends();
  builder.recv(2, places).next_round();
  builder.copy(blocks(0, 2), places);
  return std::move(builder).finish();
}

/// What each operation writes or sends.
std::vector<std::vector<int>> touched_by(RankProgram const& program) {
  std::vector<std::vector<int>> result;
  for (Operation const& operation : program.operations) {
    result.push_back(blocks_of(program, program.slots(operation)));
  }
  return result;
}

TEST(WrittenOnce, GivesEachWriteAPlaceOfItsOwn) {
  RankProgram const program = written_once(reusing());
  EXPECT_EQ(program.frame.scratch_like.size(), 4U);
  // The second operation sends what rank 0 sent, the last one copies what rank 2 did.
  EXPECT_EQ(touched_by(program), (std::vector<std::vector<int>>{{0, 1}, {1}, {2, 3}, {0, 1}}));
  EXPECT_EQ(blocks_of(program, program.sources(program.operations[3])), (std::vector{2, 3}));
}

TEST(WrittenOnce, KeepsWhatOperationsWaitFor) {
  RankProgram const before = reusing();
  RankProgram after = written_once(before);
  for (std::size_t i = 0; i < after.operations.size(); ++i) {
    after.operations[i].slots = before.operations[i].slots;
    after.operations[i].sources = before.operations[i].sources;
  }
  EXPECT_EQ(after.operations, before.operations);
}

/// A slot that wraps would mean others as soon as the program gets more scratch blocks.
TEST(WrittenOnce, HasNoSlotsThatWrap) {
  Builder builder(alltoall_frame(2, 1), 1);
  Slot const places = builder.scratch(blocks(0, 2));
  builder.recv(0, scratch(places.first + 1)).recv(0, scratch(places.first)).next_round();
  builder.copy(blocks(0, 2), places);
  RankProgram program = written_once(std::move(builder).finish());
  program.frame.scratch_like.push_back(0);
  EXPECT_EQ(blocks_of(program, program.sources(program.operations[2])), (std::vector{1, 0}));
}

TEST(WrittenOnce, LeavesAProgramWithoutScratchAsItIs) {
  Builder builder(alltoall_frame(2, 0), 0);
  builder.recv(1, blocks(1)).send(1, {.buffer = Buffer::input, .first = 1});
  RankProgram const before = std::move(builder).finish();
  EXPECT_EQ(written_once(before), before);
}

TEST(WrittenOnce, RefusesWhatItCannotRename) {
  Builder twice(alltoall_frame(2, 0), 0);
  twice.recv(1, blocks(1)).next_round().recv(1, blocks(1));
  EXPECT_THROW(static_cast<void>(written_once(std::move(twice).finish())), Error);
  Builder adding({.num_ranks = 2, .num_output_blocks = 2}, 0);
  adding.recv(1, adding.scratch(blocks(0))).next_round().reduce(blocks(0), scratch(0));
  EXPECT_THROW(static_cast<void>(written_once(std::move(adding).finish())), Error);
}

}  // namespace
}  // namespace espalier::schedule
