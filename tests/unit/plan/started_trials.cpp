// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/started_trials.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/plan/learning/learned.hpp"
#include "espalier/plan/settings/settings.hpp"
#include "espalier/plan/settings/settings_text.hpp"
#include "espalier/profile/profile.hpp"

namespace espalier::plan {
namespace {

constexpr int num_calls = 100;

KindOfCalls iallgathers() {
  profile::Shape const shape{.num_ranks = 8, .num_nodes = 2};
  return kind_of(profile::Call::allgather, shape, 1500, profile::Form::nonblocking);
}

/// Of a candidate that nobody has timed.
Trials untried() {
  Trials trials{.kind = iallgathers(), .num_calls = num_calls, .seconds = 1e-3};
  trials.add("allgather/ring", 1e-4);
  trials.record.candidates[0].seconds = 0;
  return trials;
}

StartedTrials of_trials() {
  Trials const trials = untried();
  auto table = learn::Timetable::of_trials(
      trials.record, {.num_calls = num_calls, .waiting_seconds = trials.seconds, .budget = 1}
  );
  return {trials, std::move(table), false};
}

StartedTrials of_checks() {
  return {untried(), learn::Timetable::of_checks(1, 1000), true};
}

/// Makes all calls of a run. Those of the native algorithm wait for so long, and those of ours.
void make_calls(StartedTrials const& trials, double native, double ours) {
  for (int call = 0; call < 1000; ++call) {
    StartedTrials::Turn const turn = trials.turn(call);
    if (turn.counts != nullptr) {
      double const waiting = turn.decision->is_native() ? native : ours;
      turn.counts->add({.count = 1, .waiting_seconds = waiting, .work_seconds = 1e-3});
    }
  }
}

std::vector<double> seconds(StartedTrials const& trials) {
  std::vector<double> all;
  trials.append_seconds(all);
  return all;
}

TEST(StartedTrials, RunWhatTheTimetableSays) {
  StartedTrials const trials = of_trials();
  std::string ran;
  for (int call = 0; call < 10; ++call) {
    StartedTrials::Turn const turn = trials.turn(call);
    ran += turn.decision == nullptr ? "." : turn.decision->algorithm_text().substr(0, 1);
    ran += turn.counts != nullptr ? "!" : "";
  }
  EXPECT_EQ(ran, "....nn!aa!..");
}

TEST(StartedTrials, CountTheWorkOfTheProgramToo) {
  StartedTrials const trials = of_trials();
  make_calls(trials, 2e-3, 1e-3);
  EXPECT_EQ(seconds(trials), (std::vector<double>{3e-3, 2e-3}));
  EXPECT_EQ(seconds(of_trials()), (std::vector<double>{0, 0})) << "no call was made";
}

TEST(StartedTrials, AreJudgedByTheirTimes) {
  StartedTrials const trials = of_trials();
  auto const more = trials.trials(std::vector<double>{3e-3, 2e-3});
  ASSERT_TRUE(more);
  EXPECT_DOUBLE_EQ(more->record.candidates[0].seconds, 3e-3);
  EXPECT_DOUBLE_EQ(more->record.candidates[1].seconds, 2e-3);
  EXPECT_EQ(more->record.candidates[1].against_native, learn::Evidence::of(1, 1));
  EXPECT_FALSE(trials.lesson(std::vector<double>{3e-3, 2e-3}));
}

TEST(StartedTrials, LoseWhatIsSlower) {
  StartedTrials const slower = of_trials();
  make_calls(slower, 1e-3, 3e-3);
  EXPECT_DOUBLE_EQ(slower.lost(), 2e-3);
  StartedTrials const faster = of_trials();
  make_calls(faster, 3e-3, 1e-3);
  EXPECT_DOUBLE_EQ(faster.lost(), 0);
  EXPECT_DOUBLE_EQ(of_trials().lost(), 0) << "no call was made";
}

/// Each of 15 native calls among them takes longer than what was learned.
TEST(StartedTrials, ChecksLoseWhatNativeCallsTakeLonger) {
  StartedTrials const checks = of_checks();
  make_calls(checks, 3e-3, 1e-3);
  EXPECT_NEAR(checks.lost(), 15 * 2e-3, 1e-9);
}

TEST(StartedTrials, ChecksDropOnlyWhatLoses) {
  StartedTrials const lost = of_checks();
  make_calls(lost, 1e-3, 2e-3);
  auto const lesson = lost.lesson(seconds(lost));
  ASSERT_TRUE(lesson);
  EXPECT_EQ(lesson->algorithm, "native");
  EXPECT_EQ(lesson->kind, iallgathers());
  EXPECT_FALSE(lost.trials(seconds(lost)));
  StartedTrials const won = of_checks();
  make_calls(won, 2e-3, 1e-3);
  EXPECT_FALSE(won.lesson(seconds(won)));
}

TEST(StartedTrials, RefuseWhatIsNoAlgorithm) {
  Trials wrong = untried();
  wrong.algorithms[0] = "allgather/carrier_pigeon";
  EXPECT_THROW(StartedTrials(wrong, {}, false), Error);
}

TEST(KindOfCalls, OfStartedCallsHasTheirName) {
  nlohmann::json object;
  set_members(object, iallgathers());
  EXPECT_EQ(object.at("collective"), "iallgather");
  EXPECT_EQ(kind_from_members(Field(object, "file")), iallgathers());
  for (char const* const name : {"allgather_init", "neighbor_alltoall_init", "iallgathers"}) {
    object["collective"] = name;
    EXPECT_THROW(static_cast<void>(kind_from_members(Field(object, "file"))), Error) << name;
  }
}

TEST(KindOfCalls, OfStartedCallsMayBeOfNeighbors) {
  profile::Shape shape{.num_ranks = 8, .num_nodes = 2};
  shape.topology = profile::Topology::grid;
  shape.max_neighbors = 4;
  KindOfCalls const kind =
      kind_of(profile::Call::neighbor_alltoall, shape, 1500, profile::Form::nonblocking);
  nlohmann::json object;
  set_members(object, kind);
  EXPECT_EQ(object.at("collective"), "ineighbor_alltoall");
  EXPECT_EQ(kind_from_members(Field(object, "file")), kind);
}

/// Trials that decide.
Trials won() {
  Trials trials = untried();
  trials.record.num_rounds = 8;
  trials.record.candidates[0].seconds = 2e-3;
  trials.record.candidates[1].seconds = 1e-3;
  trials.record.candidates[1].against_native = learn::Evidence::of(8, 8);
  return trials;
}

TEST(Learned, OfStartedCallsIsForThemAlone) {
  std::string const document =
      with_learned("", "memory.json", {.trials = {won()}}, "8 x app", {}, "MPICH 4.0.2");
  profile::Profile const profile = profile::Profile::parse(document, "memory.json");
  ASSERT_EQ(profile.rules().size(), 1);
  EXPECT_EQ(profile.rules()[0].form, profile::Form::nonblocking);
  EXPECT_TRUE(profile::lookup(profile, profile::Call::allgather, 8, 2, 1500).is_open);
}

TEST(Settings, WhatWasLearnedOfBlockingCallsServesNoOthers) {
  auto const decided = [](Trials const& trials, profile::Form form) {
    std::string const memory =
        with_learned("", "memory.json", {.trials = {trials}}, "8 x app", {}, "MPICH 4.0.2");
    SettingsText const text{
        .learn = "on", .memory_path = "memory.json", .memory = nlohmann::json::parse(memory)
    };
    Settings const settings = Settings::parse(text, "mpich");
    std::vector<std::string> warnings;
    profile::CallForm const call{.call = profile::Call::allgather, .form = form};
    return decide(settings, call, trials.kind.shape, warnings).at(1500).algorithm_text();
  };
  using enum profile::Form;
  EXPECT_EQ(decided(won(), blocking), "native");
  EXPECT_EQ(decided(won(), nonblocking), "allgather/ring");
  EXPECT_EQ(decided(won(), persistent), "allgather/ring");
  Trials of_blocking = won();
  of_blocking.kind.form = blocking;
  EXPECT_EQ(decided(of_blocking, blocking), "allgather/ring");
  EXPECT_EQ(decided(of_blocking, nonblocking), "native");
  EXPECT_EQ(decided(of_blocking, persistent), "native");
}

TEST(Settings, KnowWhetherStartedCallsMayBeServed) {
  auto const starts = [](std::string const& learn, Trials const& trials) {
    std::string const memory =
        with_learned("", "memory.json", {.trials = {trials}}, "8 x app", {}, "MPICH 4.0.2");
    SettingsText const text{
        .learn = learn, .memory_path = "memory.json", .memory = nlohmann::json::parse(memory)
    };
    return Settings::parse(text, "mpich").starts_what_was_learned();
  };
  EXPECT_TRUE(starts("on", untried()));
  EXPECT_TRUE(starts("on", won()));
  EXPECT_FALSE(starts("off", won()));
  Trials blocking = won();
  blocking.kind.form = profile::Form::blocking;
  EXPECT_FALSE(starts("on", blocking));
  EXPECT_FALSE(starts("on", {.kind = iallgathers(), .num_calls = 5, .seconds = 1e-3}));
}

}  // namespace
}  // namespace espalier::plan
