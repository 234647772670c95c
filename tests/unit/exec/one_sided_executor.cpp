// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/threads/one_sided_executor.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
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

schedule::Frame frame() {
  return {.num_ranks = 2, .num_output_blocks = 2, .input_like = {}, .scratch_like = {0}};
}

/// Two ranks with an output of two bytes, one each block; rank r starts with r + 1 in both.
class TwoRanks {
public:
  explicit TwoRanks(std::vector<RankProgram> programs) : programs_(std::move(programs)) {
    for (int rank = 0; rank < 2; ++rank) {
      memory[rank].assign(2, static_cast<std::byte>(rank + 1));
      places_.emplace_back(programs_[static_cast<std::size_t>(rank)].frame, rank, layout_);
    }
    for (int rank = 0; rank < 2; ++rank) {
      ranks_.push_back({
          .program = bind_one_sided(
              programs_[static_cast<std::size_t>(rank)],
              [&](int r) -> Places const& { return places_[static_cast<std::size_t>(r)]; }
          ),
          .input = nullptr,
          .output = memory[rank].data(),
      });
    }
  }

  std::string run(OneSidedOptions options = {}) {
    try {
      options.time_limit = 300ms;
      run_one_sided(ranks_, options);
    } catch (Error const& error) {
      return error.what();
    }
    return "no error";
  }

  std::vector<std::byte> memory[2];

private:
  std::vector<RankProgram> programs_;
  Layout layout_ = Layout::uniform(2, 1, 1);
  std::vector<Places> places_;
  std::vector<ThreadRank> ranks_;
};

template <typename Write> std::vector<RankProgram> both(Write const& write) {
  std::vector<RankProgram> programs;
  for (int rank = 0; rank < 2; ++rank) {
    Builder builder(frame(), rank);
    write(builder, rank);
    programs.push_back(std::move(builder).finish());
  }
  return programs;
}

std::vector<RankProgram> exchange() {
  return both([](Builder& builder, int rank) {
    builder.put(1 - rank, blocks(rank), blocks(rank), 0).await(0);
  });
}

TEST(OneSidedExecutor, PutsDataBeforeItRaisesTheCounter) {
  for (Delivery const delivery : {Delivery::at_once, Delivery::late}) {
    TwoRanks two(exchange());
    EXPECT_EQ(two.run({.delivery = delivery}), "no error");
    EXPECT_EQ(two.memory[0], (std::vector{std::byte{1}, std::byte{2}}));
    EXPECT_EQ(two.memory[1], (std::vector{std::byte{1}, std::byte{2}}));
  }
}

TEST(OneSidedExecutor, GetsDataOfThePeer) {
  TwoRanks two(both([](Builder& builder, int rank) {
    builder.get(1 - rank, blocks(1 - rank), blocks(1 - rank));
  }));
  EXPECT_EQ(two.run(), "no error");
  EXPECT_EQ(two.memory[0], (std::vector{std::byte{1}, std::byte{2}}));
}

/// When a rank leaves nothing is said of what it has put.
TEST(OneSidedExecutor, DeliversLateDataAfterTheRankHasLeft) {
  std::vector<RankProgram> programs = both([](Builder& builder, int rank) {
    if (rank == 0) {
      builder.put(1, blocks(0), blocks(0));
    }
  });
  TwoRanks two(std::move(programs));
  std::byte at_leave{0};
  OneSidedOptions options{.delivery = Delivery::late};
  options.leave = [&](int rank) {
    if (rank == 0) {
      at_leave = two.memory[1][0];
    }
  };
  EXPECT_EQ(two.run(options), "no error");
  EXPECT_EQ(at_leave, std::byte{2});
  EXPECT_EQ(two.memory[1][0], std::byte{1});
}

TEST(OneSidedExecutor, SaysWhoWaitsForWhatWhenNothingMoves) {
  std::vector<RankProgram> programs = exchange();
  programs[1].operations[1].arrivals = 2;
  EXPECT_EQ(
      TwoRanks(std::move(programs)).run(),
      "the schedule must end within 300 ms, but rank 1 waits for counter 0 to reach 2, which is 1 "
      "in operation 1"
  );
}

TEST(OneSidedExecutor, RefusesCountersThatAreRaisedTooOften) {
  std::vector<RankProgram> programs = exchange();
  Builder builder(std::move(programs[0]));
  builder.signal(1, 0);
  programs[0] = std::move(builder).finish();
  EXPECT_EQ(
      TwoRanks(std::move(programs)).run(),
      "counter 0 of rank 1 is awaited at 1, but was raised 2 times"
  );
}

TEST(OneSidedExecutor, RefusesMessages) {
  TwoRanks two(both([](Builder& builder, int rank) { builder.send(1 - rank, blocks(rank)); }));
  EXPECT_EQ(two.run(), "a one-sided schedule has no messages and no native calls");
}

TEST(OneSidedExecutor, NeedsAnOperatorToReduce) {
  TwoRanks two(both([](Builder& builder, int) { builder.reduce(blocks(0), blocks(1)); }));
  EXPECT_EQ(two.run(), "the program reduces: OneSidedOptions::combine must be given");
}

}  // namespace
}  // namespace espalier::exec
