// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/watch/call.hpp"

namespace espalier::watch {
namespace {

Members const world{.name = "w", .num_ranks = 4, .rank = 1, .has_world_ranks = true};
Members const rows{.name = "rows", .num_ranks = 2, .rank = 0, .world_ranks = {1, 3}};

Record living() {
  return {.magic = Record::expected_magic};
}

Findings found(Record& record) {
  auto const findings = look_at([&](Record& to) {
    copy_words(record, to);
    return true;
  });
  return findings.value();
}

TEST(Wait, SurvivesAsOneWord) {
  for (Wait const& wait :
       {Wait{},
        Wait{.stage = Stage::receiving, .round = 65535, .num_others = 17, .peer = 65535},
        Wait{.stage = Stage::sending, .round = Wait::max_round, .peer = 2147483647},
        Wait{.stage = Stage::starting, .num_others = Wait::max_others, .peer = 0}}) {
    EXPECT_EQ(Wait::from_word(wait.to_word()), wait);
  }
  Wait const large{.stage = Stage::sending, .round = 1 << 30, .num_others = 1000, .peer = 5};
  EXPECT_EQ(Wait::from_word(large.to_word()).round, Wait::max_round);
  EXPECT_EQ(Wait::from_word(large.to_word()).num_others, Wait::max_others);
  EXPECT_EQ(Wait::from_word(large.to_word()).peer, 5);
}

TEST(Record, TellsTheCallAThreadIsIn) {
  Record record = living();
  EXPECT_FALSE(found(record).is_in_call());
  EXPECT_FALSE(found(record).last);
  {
    Call const call(record, world, {.function = "MPI_Bcast", .algorithm = "b", .bytes = 7});
    ASSERT_NE(current_beacon(), nullptr);
    Activity const activity = found(record).calls[0].value();
    EXPECT_STREQ(activity.description.function.data(), "MPI_Bcast");
    EXPECT_EQ(activity.description.bytes, 7);
    EXPECT_EQ(activity.wait, (Wait{.stage = Stage::starting}));
    EXPECT_EQ(activity.since, activity.description.begin);
  }
  EXPECT_EQ(current_beacon(), nullptr);
  EXPECT_FALSE(found(record).is_in_call());
  EXPECT_EQ(found(record).last.value().function, "MPI_Bcast");
}

TEST(Record, TellsWhereTheCallWaits) {
  Record record = living();
  Call call(record, rows, {.function = "MPI_Allgather", .algorithm = "allgather/ring"});
  current_beacon()->set_rounds(7);
  current_beacon()->wait_at({.stage = Stage::receiving, .round = 2, .peer = 1});
  Activity const activity = found(record).calls[0].value();
  EXPECT_EQ(activity.wait, (Wait{.stage = Stage::receiving, .round = 2, .peer = 1}));
  EXPECT_EQ(activity.world_peer, 3);
  EXPECT_EQ(activity.num_rounds, 7);
  call.hand_over();
  EXPECT_EQ(found(record).calls[0].value().wait, Wait{});
  EXPECT_EQ(found(record).calls[0].value().world_peer, -1);
}

TEST(Record, TellsAnAlgorithmThatIsChosenLate) {
  Record record = living();
  Call const call(record, world, {.function = "MPI_Allgatherv", .bytes = 5});
  EXPECT_EQ(found(record).calls[0].value().wait.stage, Stage::native);
  current_beacon()->set_algorithm("allgather/bruck");
  Activity const activity = found(record).calls[0].value();
  EXPECT_EQ(activity.wait.stage, Stage::starting);
  EXPECT_STREQ(activity.description.algorithm.data(), "allgather/bruck");
  EXPECT_STREQ(activity.description.function.data(), "MPI_Allgatherv");
  EXPECT_EQ(activity.since, activity.description.begin);
}

TEST(Record, CallsInsideCallsHaveSlotsOfTheirOwn) {
  Record record = living();
  Call const outer(record, world, {.function = "MPI_Reduce", .algorithm = "r"});
  Beacon* const beacon = current_beacon();
  {
    Call const inner(record, world, {.function = "MPI_Bcast"});
    EXPECT_NE(current_beacon(), beacon);
    EXPECT_EQ(found(record).calls[1].value().wait.stage, Stage::native);
  }
  EXPECT_EQ(current_beacon(), beacon);
  EXPECT_STREQ(found(record).calls[0].value().description.function.data(), "MPI_Reduce");
}

TEST(Record, SaysNothingOfMoreCallsThanItHasSlots) {
  Record record = living();
  std::vector<std::unique_ptr<Call>> calls;
  for (std::size_t i = 0; i < Record::num_entries + 1; ++i) {
    calls.push_back(std::make_unique<Call>(record, world, What{.function = "MPI_Scan"}));
  }
  EXPECT_EQ(take_entry(record), nullptr);
  while (!calls.empty()) {
    calls.pop_back();
  }
  EXPECT_NE(take_entry(record), nullptr);
  EXPECT_EQ(current_beacon(), nullptr);
}

TEST(Record, CutsLongTexts) {
  Description const description =
      describe({.function = std::string(100, 'f')}, {.name = std::string(200, 'n')});
  EXPECT_EQ(std::string(description.function.data()), std::string(39, 'f'));
  EXPECT_EQ(std::string(description.communicator.data()), std::string(63, 'n'));
}

TEST(Record, WithoutARankInItSaysNothing) {
  EXPECT_FALSE(look_at([](Record&) { return false; }));
  EXPECT_FALSE(look_at([](Record& to) {
    to = Record{};
    return true;
  }));
}

TEST(Record, WhatIsHalfWrittenIsNotBelieved) {
  Record record = living();
  record.entries[0] = {.is_taken = 1, .version = 3};
  EXPECT_TRUE(found(record).is_moving);
  EXPECT_FALSE(found(record).is_in_call());
}

TEST(Record, WhatChangesBetweenTwoLooksIsLookedAtAgain) {
  Record record = living();
  Call const call(record, world, {.function = "MPI_Bcast", .algorithm = "b"});
  int num_looks = 0;
  auto const findings = look_at([&](Record& to) {
    current_beacon()->wait_at({.stage = Stage::sending, .round = std::min(++num_looks, 5)});
    copy_words(record, to);
    to.entries[0].since = 0;
    return true;
  });
  EXPECT_EQ(findings.value().calls[0].value().wait.round, 5);
  EXPECT_FALSE(findings.value().is_moving);
}

/// Each call has a letter in all of its texts and numbers: one that is torn has two.
bool is_whole(Activity const& activity) {
  char const letter = activity.description.function[0];
  auto const fits = [&](auto const& text) { return text[0] == letter && text[30] == letter; };
  return fits(activity.description.function) && fits(activity.description.algorithm) &&
         fits(activity.description.communicator) && activity.description.bytes == letter &&
         (activity.wait.peer == letter || activity.wait.stage == Stage::starting);
}

TEST(Record, IsNeverTorn) {
  Record record = living();
  std::atomic<bool> is_over{false};
  std::vector<std::jthread> callers;
  for (char const first : {'a', 'n'}) {
    callers.emplace_back([&record, &is_over, first] {
      for (int i = 0; !is_over.load(); ++i) {
        auto const letter = static_cast<char>(first + i % 13);
        std::string const text(31, letter);
        Members const members{.name = text, .num_ranks = 2};
        Call const call(record, members, {.function = text, .algorithm = text, .bytes = letter});
        current_beacon()->wait_at({.stage = Stage::receiving, .peer = letter});
        for (int k = 0; k < i % 4 * 1000 && !is_over.load(); ++k) {
          // Some calls are so short that nobody can look at them twice.
        }
      }
    });
  }
  int num_seen = 0;
  for (int i = 0; i < 20000; ++i) {
    Findings const findings = found(record);
    for (auto const& call : findings.calls) {
      if (call) {
        ++num_seen;
        ASSERT_TRUE(is_whole(*call)) << call->description.function.data();
      }
    }
  }
  is_over = true;
  EXPECT_GT(num_seen, 0);
}

}  // namespace
}  // namespace espalier::watch
