// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/text.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

TEST(ProgramText, HasOneLineForEachOperation) {
  Builder builder(
      {.num_ranks = 4, .num_output_blocks = 6, .input_like = {}, .scratch_like = {1, 2}}, 3
  );
  builder.recv(0, blocks(4, 4)).send(1, blocks(5)).next_round();
  builder.reduce(blocks(1, 2), {.buffer = Buffer::scratch, .first = 0, .num_blocks = 2});
  EXPECT_EQ(
      to_text(std::move(builder).finish()),
      "rank 3 of 4: 6 output blocks, 2 scratch blocks, 1 round\n"
      "0  round 0 recv from 0 output 4,5,0,1\n"
      "1  round 0 send to 1 output 5\n"
      "2  round 1 reduce scratch 0,1 into output 1,2 after 2\n"
  );
}

TEST(ProgramText, NamesMemoryOfPeersAndCounters) {
  Builder builder(
      {.num_ranks = 4, .num_output_blocks = 2, .input_like = {}, .scratch_like = {}}, 1
  );
  Slot const far{.buffer = Buffer::scratch, .first = 7, .num_blocks = 2, .stride = 5};
  builder.signal(2, 3).await(0, 2).next_round();
  builder.put(2, far, blocks(0, 2), 1).put(2, blocks(0), blocks(1)).get(2, blocks(0, 2), far);
  EXPECT_EQ(
      to_text(std::move(builder).finish()),
      "rank 1 of 4: 2 output blocks, 2 rounds\n"
      "0  round 0 signal to 2 raises 3\n"
      "1  round 0 await counter 0 at 2\n"
      "2  round 1 put output 0,1 into scratch 7,12 of 2 raises 1 after 2\n"
      "3  round 1 put output 1 into output 0 of 2 after 2\n"
      "4  round 1 get scratch 7,12 of 2 into output 0,1 after 2\n"
  );
}

TEST(ProgramText, ShowsTagsAndWaitsOfDataflow) {
  Builder builder(
      {.num_ranks = 3, .num_output_blocks = 1, .input_like = {}, .scratch_like = {}}, 1
  );
  builder.recv(0, blocks(0)).next_round().send(2, blocks(0));
  RankProgram const program =
      segment(std::move(builder).finish(), {.num_segments = 2, .period = 1, .window = 1});
  EXPECT_EQ(to_text(program, program.operations[3]), "round 2 send to 2 output 1 tag 1 waits 2,1");
}

TEST(ProgramText, ShowsInputOfSeparateBuffers) {
  Builder builder(
      {.num_ranks = 2, .num_output_blocks = 2, .input_like = {}, .scratch_like = {}}, 1
  );
  builder.send(0, blocks(1));
  EXPECT_EQ(
      to_text(from_input(std::move(builder).finish(), Collective::allgather, 0)),
      "rank 1 of 2: 1 input block, 2 output blocks, 1 round\n"
      "0  round 0 copy input 0 into output 1\n"
      "1  round 0 send to 0 output 1 after 1\n"
  );
}

TEST(RunsText, KeepsOrderAndShortens) {
  EXPECT_EQ(runs_to_text(std::vector<int>{}), "");
  EXPECT_EQ(runs_to_text(std::vector{3}), "3");
  EXPECT_EQ(runs_to_text(std::vector{3, 4}), "3,4");
  EXPECT_EQ(runs_to_text(std::vector{0, 1, 2, 3, 7}), "0-3,7");
  EXPECT_EQ(runs_to_text(std::vector{2, 1, 1, 5, 6, 7}), "2,1,1,5-7");
}

}  // namespace
}  // namespace espalier::schedule
