// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/watch/call.hpp"
#include "espalier/watch/watcher.hpp"

namespace espalier::watch {
namespace {

constexpr Time s = 1'000'000'000;
Members const world{.name = "MPI_COMM_WORLD", .num_ranks = 2, .has_world_ranks = true};

/// Times, in seconds after the begin of the wait, at which something was said.
std::vector<Time> spoken(Lookout& lookout, Time begin, Time seconds) {
  std::vector<Time> result;
  for (Time time = begin; time <= begin + seconds * s;) {
    Lookout::Look const look = lookout.look(time);
    EXPECT_GT(look.next, time);
    EXPECT_LE(look.next, time + 30 * s) << "a wait that begins now is due then";
    for (std::size_t i = 0; i < look.lines.size(); ++i) {
      result.push_back((time - begin) / s);
    }
    time = look.next;
  }
  return result;
}

TEST(Lookout, SpeaksAfterDoublingTimes) {
  Board board("", 2, 0);
  Lookout lookout(board, 0, 30 * s);
  EXPECT_EQ(spoken(lookout, now(), 100), std::vector<Time>{});
  Call const call(board.own(), world, {.function = "MPI_Bcast", .algorithm = "b"});
  Time const begin = board.look_at_rank(0).value().calls[0].value().since;
  EXPECT_EQ(spoken(lookout, begin, 500), (std::vector<Time>{30, 60, 120, 240, 480}));
}

TEST(Lookout, EachWaitBeginsAnew) {
  Board board("", 2, 0);
  Lookout lookout(board, 0, 30 * s);
  Call const call(board.own(), world, {.function = "MPI_Bcast", .algorithm = "b"});
  Time const first = now();
  EXPECT_EQ(lookout.look(first + 31 * s).lines.size(), 1U);
  EXPECT_EQ(lookout.look(first + 40 * s).lines.size(), 0U);
  current_beacon()->wait_at({.stage = Stage::receiving, .peer = 1});
  Time const second = board.look_at_rank(0).value().calls[0].value().since;
  EXPECT_EQ(lookout.look(second + 29 * s).lines.size(), 0U);
  EXPECT_EQ(lookout.look(second + 31 * s).lines.size(), 1U);
}

TEST(Lookout, DoesNotMakeUpForTimeItSlept) {
  Board board("", 2, 0);
  Lookout lookout(board, 0, 30 * s);
  Call const call(board.own(), world, {.function = "MPI_Bcast"});
  Time const begin = board.look_at_rank(0).value().calls[0].value().since;
  EXPECT_EQ(lookout.look(begin + 300 * s).lines.size(), 1U);
  EXPECT_EQ(lookout.look(begin + 301 * s).lines.size(), 0U);
  EXPECT_EQ(lookout.look(begin + 480 * s).lines.size(), 1U);
}

TEST(Lookout, AsksThePeer) {
  std::string const name = Board::draw_name();
  Board board(name, 2, 0);
  Board other(name, 2, 1);
  Board::remove_name(name);
  ASSERT_TRUE(board.is_shared());
  Lookout lookout(board, 0, s);
  Call const call(board.own(), world, {.function = "MPI_Bcast", .algorithm = "b"});
  Time const begin = board.look_at_rank(0).value().calls[0].value().since;
  current_beacon()->wait_at({.stage = Stage::receiving, .peer = 1});
  std::string const text = lookout.look(begin + 5 * s).lines.at(0);
  EXPECT_NE(text.find("; rank 1 is in no collective"), std::string::npos) << text;
}

TEST(Lookout, FindsWhoIsMissingInANativeCall) {
  std::string const name = Board::draw_name();
  Board board(name, 2, 0);
  Board other(name, 2, 1);
  Board::remove_name(name);
  ASSERT_TRUE(board.is_shared());
  Lookout lookout(board, 0, s);
  Call const call(board.own(), world, {.function = "MPI_Bcast"});
  Time const begin = board.look_at_rank(0).value().calls[0].value().since;
  std::string const alone = lookout.look(begin + s).lines.at(0);
  EXPECT_NE(alone.find("; rank 1 is in no collective"), std::string::npos) << alone;
  Call const same(other.own(), world, {.function = "MPI_Bcast"});
  std::string const together = lookout.look(begin + 2 * s).lines.at(0);
  EXPECT_EQ(together.find(';'), std::string::npos) << together;
}

TEST(Lookout, WhoLeftANativeCallAlreadyIsNotMissing) {
  std::string const name = Board::draw_name();
  Board board(name, 2, 0);
  Board other(name, 2, 1);
  Board::remove_name(name);
  ASSERT_TRUE(board.is_shared());
  Lookout lookout(board, 0, s);
  Call const call(board.own(), world, {.function = "MPI_Reduce"});
  { Call const same(other.own(), world, {.function = "MPI_Reduce"}); }
  Time const begin = board.look_at_rank(0).value().calls[0].value().since;
  std::string const text = lookout.look(begin + s).lines.at(0);
  EXPECT_EQ(text.find(';'), std::string::npos) << text;
}

TEST(Watcher, SpeaksByItselfAndStops) {
  Board board("", 2, 0);
  std::promise<std::string> first;
  std::atomic<int> num_lines{0};
  Watcher watcher(Lookout(board, 0, s / 50), [&](std::string const& line) {
    if (num_lines++ == 0) {
      first.set_value(line);
    }
  });
  Call const call(board.own(), world, {.function = "MPI_Bcast"});
  auto line = first.get_future();
  ASSERT_EQ(line.wait_for(std::chrono::seconds(15)), std::future_status::ready);
  EXPECT_NE(line.get().find("rank 0 waits for "), std::string::npos);
  watcher.stop();
  watcher.stop();
}

TEST(Watcher, EndsAtOnceHoweverLongItWouldWait) {
  Board board("", 2, 0);
  auto const begin = std::chrono::steady_clock::now();
  {
    Watcher const watcher(Lookout(board, 0, 3600 * s), [](std::string const&) {});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace espalier::watch
