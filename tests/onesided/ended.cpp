// SPDX-License-Identifier: Apache-2.0

/// What ranks that wait are told when others have ended their conduits.

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/onesided/threads/thread_world.hpp"

namespace espalier::onesided {
namespace {

constexpr std::uint64_t counter = 0;

/// Three ranks, played by one thread; a message raises the number of its receiver.
class Ended : public testing::Test {
protected:
  Ended() : world_({.segment_bytes = {64, 64, 64}, .num_handlers = 1}) {
    for (int rank = 0; rank < 3; ++rank) {
      conduits_.push_back(world_.attach(rank, {[this, rank](Message&) { ++received(rank); }}));
    }
  }

  Conduit& rank(int number) { return *conduits_[static_cast<std::size_t>(number)]; }

  int& received(int number) { return received_[static_cast<std::size_t>(number)]; }

  void end(int number) { conduits_[static_cast<std::size_t>(number)].reset(); }

  /// The text of the error of an action; "" if there is none.
  template <typename Action> static std::string error_of(Action&& action) {
    try {
      action();
    } catch (Error const& error) {
      EXPECT_EQ(error.code(), ErrorCode::io);
      return error.what();
    }
    return "";
  }

  ThreadWorld world_;
  std::vector<std::unique_ptr<Conduit>> conduits_;
  std::array<int, 3> received_{};
};

/// Waits for the second half of a barrier.
void finish_barrier(Conduit& conduit) {
  conduit.wait_until([&] { return conduit.try_barrier(); });
}

TEST_F(Ended, ABarrierThatAllHaveNotifiedIsPassed) {
  for (int i = 0; i < 3; ++i) {
    rank(i).notify();
  }
  end(1);
  end(2);
  EXPECT_EQ(error_of([&] { finish_barrier(rank(0)); }), "");
}

TEST_F(Ended, WhoWaitsInALaterBarrierIsToldWhoComesToNoMore) {
  for (int i = 0; i < 3; ++i) {
    rank(i).notify();
  }
  end(2);
  finish_barrier(rank(0));
  finish_barrier(rank(1));
  char const* const expected = "expected all ranks in barrier 2 of the conduit, but rank 2 has "
                               "ended its conduit after 1";
  EXPECT_EQ(error_of([&] { rank(1).barrier(); }), expected);
  EXPECT_EQ(error_of([&] { rank(0).barrier(); }), expected);
}

TEST_F(Ended, TheRankWithTheFewestBarriersIsNamed) {
  rank(1).notify();
  end(1);
  end(2);
  EXPECT_EQ(
      error_of([&] { rank(0).barrier(); }),
      "expected all ranks in barrier 1 of the conduit, but rank 2 has ended its conduit after 0"
  );
}

TEST_F(Ended, WhatTheLastOneDidIsStillSeen) {
  rank(1).signal({.rank = 0, .offset = counter});
  rank(2).send_short(0, 0);
  end(1);
  end(2);
  EXPECT_EQ(error_of([&] { rank(0).await(counter, 1); }), "");
  EXPECT_EQ(error_of([&] { rank(0).wait_until([&] { return received(0) == 1; }); }), "");
}

TEST_F(Ended, WhoWaitsForNobodyIsTold) {
  end(1);
  end(2);
  EXPECT_EQ(
      error_of([&] { rank(0).await(counter, 1); }),
      "expected others to do what rank 0 waits for, but all have ended their conduits"
  );
}

TEST_F(Ended, ARankAloneCanSendToItself) {
  end(1);
  end(2);
  rank(0).signal({.rank = 0, .offset = counter});
  rank(0).send_short(0, 0);
  EXPECT_EQ(error_of([&] { rank(0).await(counter, 1); }), "");
  EXPECT_EQ(error_of([&] { rank(0).wait_until([&] { return received(0) == 1; }); }), "");
}

TEST_F(Ended, WhoWaitsForARankThatIsThereWaitsOn) {
  end(2);
  std::jthread const late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
    rank(1).signal({.rank = 0, .offset = counter});
  });
  EXPECT_EQ(error_of([&] { rank(0).await(counter, 1); }), "");
}

}  // namespace
}  // namespace espalier::onesided
