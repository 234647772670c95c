// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/threads/thread_executor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::exec {
namespace {

using namespace std::chrono_literals;
using schedule::blocks;
using schedule::Buffer;
using schedule::Builder;
using schedule::RankProgram;

schedule::Frame two_ranks(int num_blocks) {
  return {
      .num_ranks = 2,
      .num_output_blocks = num_blocks,
      .input_like = {},
      .scratch_like = {0, 0},
  };
}

/// Two ranks with an output of two bytes, one each block; rank r starts with r + 1 in both.
class TwoRanks {
public:
  TwoRanks(RankProgram const& first, RankProgram const& second, std::vector<int> sizes = {1, 1}) {
    std::int64_t const blocks_of_first = first.frame.num_output_blocks;
    EXPECT_EQ(blocks_of_first, 2);
    memory[0].assign(8, std::byte{1});
    memory[1].assign(8, std::byte{2});
    ranks = {
        {.program = bind(first, Layout::uniform(2, sizes[0], 1)), .output = memory[0].data()},
        {.program = bind(second, Layout::uniform(2, sizes[1], 1)), .output = memory[1].data()},
    };
  }

  std::string run(ThreadOptions options) {
    try {
      options.time_limit = 300ms;
      run_threads(ranks, options);
    } catch (Error const& error) {
      return error.what();
    }
    return "no error";
  }

  std::vector<std::byte> memory[2];
  std::vector<ThreadRank> ranks;
};

ThreadOptions const rendezvous{.mode = SendMode::rendezvous};
ThreadOptions const buffered{.mode = SendMode::buffered};

RankProgram exchange(int rank) {
  return std::move(Builder(two_ranks(2), rank)
                       .recv(1 - rank, blocks(1 - rank))
                       .send(1 - rank, blocks(rank)))
      .finish();
}

RankProgram receive_then_send(int rank) {
  Builder builder(two_ranks(2), rank);
  builder.recv(1 - rank, blocks(1 - rank)).next_round().send(1 - rank, blocks(rank));
  return std::move(builder).finish();
}

/// A send, and a receive that waits for it: goes well only if sends need no partner.
RankProgram wait_for_send(int rank) {
  RankProgram program =
      std::move(
          Builder(two_ranks(2), rank).send(1 - rank, blocks(rank)).recv(1 - rank, blocks(1 - rank))
      )
          .finish();
  program.wait_pool = {0};
  program.operations[1].waits = {.begin = 0, .end = 1};
  return program;
}

TEST(ThreadExecutor, MovesBlocks) {
  for (ThreadOptions const& options : {rendezvous, buffered}) {
    TwoRanks two(exchange(0), exchange(1));
    EXPECT_EQ(two.run(options), "no error");
    EXPECT_EQ(two.memory[0][1], std::byte{2});
    EXPECT_EQ(two.memory[1][0], std::byte{1});
    EXPECT_EQ(two.memory[0][2], std::byte{1});
  }
}

TEST(ThreadExecutor, DeadlockNamesWhoWaitsForWhat) {
  TwoRanks two(receive_then_send(0), receive_then_send(1));
  std::string const text = two.run(rendezvous);
  EXPECT_NE(text.find("rank 0 waits for operation 0 (receive from 1, tag 0)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("rank 1 waits for operation 0 (receive from 0, tag 0)"), std::string::npos)
      << text;
}

TEST(ThreadExecutor, SynchronousSendsShowADeadlockThatBufferedOnesHide) {
  EXPECT_EQ(TwoRanks(wait_for_send(0), wait_for_send(1)).run(buffered), "no error");
  std::string const text = TwoRanks(wait_for_send(0), wait_for_send(1)).run(rendezvous);
  EXPECT_NE(text.find("waits for operation 0 (send to 1, tag 0)"), std::string::npos) << text;
}

TEST(ThreadExecutor, MessageLeftOverIsAnError) {
  RankProgram const sends = std::move(Builder(two_ranks(2), 0).send(1, blocks(0))).finish();
  RankProgram const nothing = std::move(Builder(two_ranks(2), 1)).finish();
  std::string const text = TwoRanks(sends, nothing).run(buffered);
  EXPECT_NE(text.find("rank 1 left one from 0"), std::string::npos) << text;
}

TEST(ThreadExecutor, MessageOfAnotherSizeIsAnError) {
  std::string const text = TwoRanks(exchange(0), exchange(1), {3, 2}).run(rendezvous);
  EXPECT_NE(text.find("bytes, got "), std::string::npos) << text;
}

TEST(ThreadExecutor, EmptyMessagesAreNotSent) {
  EXPECT_EQ(TwoRanks(exchange(0), exchange(1), {0, 0}).run(rendezvous), "no error");
}

TEST(ThreadExecutor, SignalsAreAlwaysSent) {
  RankProgram const waits = std::move(Builder(two_ranks(2), 0).recv_signal(1)).finish();
  RankProgram const tells = std::move(Builder(two_ranks(2), 1).send_signal(0)).finish();
  RankProgram const silent = std::move(Builder(two_ranks(2), 1)).finish();
  for (ThreadOptions const& options : {rendezvous, buffered}) {
    EXPECT_EQ(TwoRanks(waits, tells).run(options), "no error");
    EXPECT_NE(TwoRanks(waits, silent).run(options), "no error");
  }
}

/// Hands its block over and gets the other one in the same place.
RankProgram swap_in_place(int rank) {
  schedule::Slot const kept{.buffer = Buffer::scratch};
  Builder builder(two_ranks(2), rank);
  builder.copy(kept, blocks(0)).next_round().send(1 - rank, kept);
  return std::move(builder.wait_for_sends().copy(kept, blocks(1)).recv(1 - rank, blocks(0)))
      .finish();
}

TEST(ThreadExecutor, SendsAreWaitedForWhereTheProgramSaysSo) {
  std::string const text = TwoRanks(swap_in_place(0), swap_in_place(1)).run(rendezvous);
  EXPECT_NE(text.find("waits for operation 1 (send to 1, tag 0)"), std::string::npos) << text;
  TwoRanks two(swap_in_place(0), swap_in_place(1));
  EXPECT_EQ(two.run(buffered), "no error");
  EXPECT_EQ(two.memory[0][0], std::byte{2});
  EXPECT_EQ(two.memory[1][0], std::byte{1});
}

TEST(ThreadExecutor, CopiesThroughScratchAndReduces) {
  schedule::Slot const scratch{.buffer = Buffer::scratch, .first = 1, .num_blocks = 1, .stride = 1};
  Builder first(two_ranks(2), 0);
  first.recv(1, scratch).next_round().reduce(blocks(0), scratch).copy(blocks(1), scratch);
  RankProgram const second = std::move(Builder(two_ranks(2), 1).send(0, blocks(0))).finish();
  TwoRanks two(std::move(first).finish(), second);
  EXPECT_NE(two.run(rendezvous).find("combine must be given"), std::string::npos);
  ThreadOptions options;
  options.combine = [](std::byte const* source, std::byte* destination, std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i) {
      destination[i] |= source[i];
    }
  };
  EXPECT_EQ(two.run(options), "no error");
  EXPECT_EQ(two.memory[0][0], std::byte{3});
  EXPECT_EQ(two.memory[0][1], std::byte{2});
}

}  // namespace
}  // namespace espalier::exec
