// SPDX-License-Identifier: Apache-2.0

/// What a checked world calls a race, and what not. One thread plays all ranks, so that what
/// happens before what is certain.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/onesided/threads/thread_world.hpp"

namespace espalier::onesided {
namespace {

constexpr std::uint64_t counter = 0;

/// Three ranks; a message does nothing.
class Race : public testing::Test {
protected:
  Race() : world_({.segment_bytes = {256, 256, 256}, .num_handlers = 1, .is_checked = true}) {
    for (int rank = 0; rank < 3; ++rank) {
      conduits_.push_back(world_.attach(rank, {[](Message&) {}}));
    }
  }

  Conduit& rank(int number) { return *conduits_[static_cast<std::size_t>(number)]; }

  void put(int by, Remote to, std::size_t num_bytes) {
    rank(by).put(to, memory_.data(), num_bytes);
  }

  void get(int by, Remote from, std::size_t num_bytes) {
    rank(by).get(memory_.data(), from, num_bytes);
  }

  [[nodiscard]] Handle start_put(int by, Remote to, std::size_t num_bytes) {
    return rank(by).start_put(to, memory_.data(), num_bytes);
  }

  void pass_barrier() {
    for (int i = 0; i < 3; ++i) {
      rank(i).notify();
    }
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(rank(i).try_barrier());
    }
  }

  /// The text of the error of an action; "" if there is none.
  template <typename Action> static std::string error_of(Action&& action) {
    try {
      action();
    } catch (Error const& error) {
      EXPECT_EQ(error.code(), ErrorCode::argument);
      return error.what();
    }
    return "";
  }

  template <typename Action> static void expect_race(Action&& action) {
    EXPECT_NE(
        error_of(action).find("expected accesses that overlap to be ordered"), std::string::npos
    );
  }

  template <typename Action> static void expect_none(Action&& action) {
    EXPECT_EQ(error_of(action), "");
  }

  std::array<std::byte, 64> memory_{};
  ThreadWorld world_;
  std::vector<std::unique_ptr<Conduit>> conduits_;
};

TEST_F(Race, PutsOfTwoRanksThatOverlapAreOneAndBothAreNamed) {
  put(1, {0, 100}, 10);
  EXPECT_EQ(
      error_of([&] { put(2, {0, 109}, 4); }),
      "expected accesses that overlap to be ordered, got a put of rank 2 at bytes 109 .. 112 of "
      "the "
      "segment of rank 0 after a put of rank 1 at bytes 100 .. 109 of the segment of rank 0 with "
      "nothing between them"
  );
}

TEST_F(Race, NeighbouringBytesAreNone) {
  put(1, {0, 100}, 10);
  expect_none([&] { put(2, {0, 110}, 4); });
  expect_none([&] { put(2, {0, 99}, 1); });
  expect_none([&] { put(2, {1, 100}, 10); });
}

TEST_F(Race, PutAndGetAreOneInEitherOrder) {
  put(1, {0, 100}, 10);
  expect_race([&] { get(2, {0, 95}, 6); });
  get(1, {0, 200}, 10);
  expect_race([&] { put(2, {0, 204}, 1); });
}

TEST_F(Race, GetsAreNone) {
  get(1, {0, 100}, 10);
  expect_none([&] { get(2, {0, 100}, 10); });
  expect_none([&] { get(0, {0, 105}, 10); });
  expect_race([&] { put(0, {0, 106}, 1); });
}

TEST_F(Race, AfterAnErrorTheConduitGoesOnAndNothingWasWritten) {
  put(1, {0, 100}, 10);
  memory_.fill(std::byte{9});
  expect_race([&] { put(2, {0, 109}, 4); });
  EXPECT_EQ(rank(0).segment()[109], std::byte{0});
  expect_none([&] { put(2, {0, 110}, 4); });
  EXPECT_EQ(rank(0).segment()[110], std::byte{9});
}

TEST_F(Race, CounterOrdersWhatWasOverBeforeIt) {
  put(1, {0, 100}, 10);
  rank(1).signal({2, counter});
  expect_race([&] { put(2, {0, 100}, 10); });  // Did not look yet.
  rank(2).await(counter, 1);
  expect_none([&] { put(2, {0, 100}, 10); });
  expect_race([&] { put(1, {0, 100}, 10); });  // Rank 1 knows nothing of rank 2.
}

TEST_F(Race, OrderIsHandedOn) {
  put(1, {0, 100}, 10);
  rank(1).signal({2, counter});
  rank(2).await(counter, 1);
  rank(2).signal({0, counter});
  rank(0).await(counter, 1);
  expect_none([&] { get(0, {0, 100}, 10); });
}

TEST_F(Race, CounterDoesNotOrderWhatCameBehindIt) {
  rank(1).signal({2, counter});
  put(1, {0, 100}, 10);
  rank(2).await(counter, 1);
  expect_race([&] { get(2, {0, 100}, 1); });
}

TEST_F(Race, CounterDoesNotOrderPutThatIsNotOver) {
  Handle handle = start_put(1, {0, 100}, 10);
  rank(1).signal({0, counter});
  rank(0).await(counter, 1);
  expect_race([&] { get(0, {0, 100}, 10); });
  rank(1).wait(handle);
  rank(1).signal({0, counter});
  rank(0).await(counter, 2);
  expect_none([&] { get(0, {0, 100}, 10); });
}

TEST_F(Race, LocalCompletionIsNotEnough) {
  Handle handle = start_put(1, {0, 100}, 10);
  rank(1).wait_local(handle);
  pass_barrier();
  expect_race([&] { get(0, {0, 100}, 10); });
  rank(1).wait(handle);
}

TEST_F(Race, PostedPutIsOverAtTheFence) {
  rank(1).post_put({0, 100}, memory_.data(), 10);
  pass_barrier();
  expect_race([&] { get(0, {0, 109}, 1); });
  rank(1).fence();
  pass_barrier();
  expect_none([&] { get(0, {0, 109}, 1); });
}

TEST_F(Race, OwnOperationsThatAreNotOverAreUnorderedToo) {
  Handle handle = start_put(1, {0, 100}, 10);
  expect_race([&] { put(1, {0, 105}, 10); });
  expect_race([&] { get(1, {0, 105}, 1); });
  rank(1).wait(handle);
  expect_none([&] { put(1, {0, 105}, 10); });
}

TEST_F(Race, OnlyItsCounterTellsOfRaisingPut) {
  rank(1).put_raising({0, 100}, memory_.data(), 10, {.offset = counter});
  pass_barrier();
  expect_race([&] { get(0, {0, 100}, 10); });
  rank(0).await(counter, 1);
  expect_none([&] { get(0, {0, 100}, 10); });
  expect_race([&] { put(2, {0, 100}, 10); });
  pass_barrier();
  expect_none([&] { put(2, {0, 100}, 10); });
}

TEST_F(Race, CountersAreRaisedByAllButNotPut) {
  rank(1).signal({0, counter});
  expect_none([&] { rank(2).signal({0, counter}); });
  expect_none([&] { (void)rank(0).counter(counter); });
  expect_race([&] { put(2, {0, counter}, 8); });
}

TEST_F(Race, BarrierOrdersWhatWasBeforeItsFirstHalf) {
  put(1, {0, 100}, 10);
  for (int i = 0; i < 3; ++i) {
    rank(i).notify();
  }
  put(1, {0, 200}, 10);
  expect_race([&] { get(2, {0, 100}, 1); });  // Has not passed yet.
  ASSERT_TRUE(rank(2).try_barrier());
  expect_none([&] { get(2, {0, 100}, 10); });
  expect_race([&] { get(2, {0, 200}, 10); });
}

TEST_F(Race, MessageOrders) {
  put(1, {0, 100}, 10);
  rank(1).send_short(2, 0);
  expect_race([&] { get(2, {0, 100}, 10); });
  rank(2).poll();
  expect_none([&] { get(2, {0, 100}, 10); });
}

TEST_F(Race, LongMessageWrites) {
  rank(1).send_long({0, 100}, 0, std::span(memory_).first(10));
  expect_race([&] { get(0, {0, 100}, 10); });
  rank(0).poll();
  expect_none([&] { get(0, {0, 100}, 10); });
  expect_race([&] { put(2, {0, 100}, 10); });
}

TEST_F(Race, SourceInSegmentIsReadUntilLocalCompletion) {
  std::byte* const source = rank(1).segment().data() + 100;
  Handle handle = rank(1).start_put({0, 100}, source, 10);
  expect_race([&] { put(1, {1, 100}, 10); });
  expect_race([&] { put(2, {1, 100}, 10); });
  rank(1).wait_local(handle);
  expect_none([&] { put(1, {1, 100}, 10); });
  rank(1).wait(handle);
}

TEST_F(Race, TargetOfGetInSegmentIsWritten) {
  Handle handle = rank(1).start_get(rank(1).segment().data() + 100, {0, 100}, 10);
  expect_race([&] { get(2, {1, 109}, 1); });
  rank(1).wait(handle);
  expect_race([&] { get(2, {1, 109}, 1); });
  pass_barrier();
  expect_none([&] { get(2, {1, 109}, 1); });
}

TEST_F(Race, ManyAccessesOfTheSameBytesCostNoMemory) {
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    int const by = static_cast<int>(i % 3);
    put(by, {0, 100}, 10);
    rank(by).signal({(by + 1) % 3, counter});
    rank((by + 1) % 3).await(counter, (i + 2) / 3);
  }
}

TEST(ThreadWorld, WaitsEndWhenItIsStopped) {
  ThreadWorld world({.segment_bytes = {64, 64}});
  auto const conduit = world.attach(0, {});
  world.stop();
  EXPECT_THROW(conduit->await(0, 1), Error);
  EXPECT_THROW(conduit->barrier(), Error);
}

TEST(ThreadWorld, RefusesWrongAttachments) {
  ThreadWorld world({.segment_bytes = {64, 64}, .num_handlers = 1});
  EXPECT_THROW((void)world.attach(2, {[](Message&) {}}), Error);
  EXPECT_THROW((void)world.attach(-1, {[](Message&) {}}), Error);
  EXPECT_THROW((void)world.attach(0, {}), Error);
  auto const conduit = world.attach(0, {[](Message&) {}});
  EXPECT_THROW((void)world.attach(0, {[](Message&) {}}), Error);
}

}  // namespace
}  // namespace espalier::onesided
