// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/learned.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/plan/learning/programs.hpp"
#include "espalier/profile/decision.hpp"
#include "espalier/profile/profile.hpp"

namespace espalier::plan {
namespace {

KindOfCalls allgathers() {
  return kind_of(profile::Call::allgather, {.num_ranks = 8, .num_nodes = 2}, 1500);
}

Lesson ring() {
  return {
      .kind = allgathers(),
      .algorithm = "allgather/ring",
      .native_seconds = 3e-4,
      .seconds = 1e-4,
      .num_pairs = 7,
  };
}

Lesson native_barrier() {
  return {
      .kind = kind_of(profile::Call::barrier, {.num_ranks = 8, .num_nodes = 2}, 0),
      .algorithm = "native",
      .native_seconds = 1e-5,
      .seconds = 1e-5,
      .num_pairs = 4,
  };
}

/// A candidate that won so many pairs, each in a round of its own.
Trials trials(int num_wins, int num_pairs) {
  learn::Evidence const evidence = learn::Evidence::of(num_wins, num_pairs, num_wins / 2);
  return {
      .kind = allgathers(),
      .num_calls = 2,
      .seconds = 3e-4,
      .exchange_seconds = 2e-5,
      .algorithms = {"allgather/bruck"},
      .record =
          {
              .candidates =
                  {{.seconds = 3e-4},
                   {.predicted = 2e-4, .seconds = 1e-4, .in_round = 1e-4, .against_native = evidence
                   }},
              .num_rounds = num_pairs,
          },
  };
}

std::string with(std::string const& document, Learned const& learned) {
  return with_learned(document, "memory.json", learned, "8 x app", {}, "MPICH 4.0.2");
}

std::string with(std::string const& document, std::vector<Lesson> const& lessons) {
  return with(document, Learned{.lessons = lessons});
}

std::vector<Trials> trials_in(std::string const& document) {
  return trials_from_json(nlohmann::json::parse(document), "memory.json");
}

profile::Decision lookup(std::string const& document, std::int64_t bytes) {
  profile::Profile const profile = profile::Profile::parse(document, "memory.json");
  return profile::lookup(profile, profile::Call::allgather, 8, 2, bytes);
}

TEST(Learned, TravelsAsBytes) {
  Learned const learned{.lessons = {ring(), native_barrier()}, .trials = {trials(3, 4)}};
  EXPECT_EQ(learned_from_bytes(to_bytes(learned)), learned);
  EXPECT_THROW(static_cast<void>(learned_from_bytes("nonsense")), Error);
  EXPECT_THROW(static_cast<void>(learned_from_bytes(to_bytes(learned).substr(3))), Error);
}

TEST(Learned, BecomesARule) {
  std::string const document = with("", {ring(), native_barrier()});
  profile::Profile const profile = profile::Profile::parse(document, "memory.json");
  EXPECT_EQ(profile.rules().size(), 2);
  EXPECT_EQ(profile.vendor(), "mpich");
  EXPECT_EQ(lookup(document, 1500).choice->text(), "allgather/ring");
  EXPECT_EQ(
      lookup(document, 1500).reason,
      "profile rule 0: learned while a program ran: 3 times as fast, 100 us for native 300 us, 7 "
      "pairs of calls"
  );
  EXPECT_TRUE(lookup(document, 2048).is_open);
}

TEST(Learned, ReplacesWhatWasLearnedBefore) {
  Lesson again = ring();
  again.algorithm = "allgather/bruck";
  Lesson larger = ring();
  larger.kind = kind_of(larger.kind.call, larger.kind.shape, 4000);
  std::string const document = with(with("", {ring(), native_barrier()}), {again, larger});
  EXPECT_EQ(profile::Profile::parse(document, "memory.json").rules().size(), 3);
  EXPECT_EQ(lookup(document, 1024).choice->text(), "allgather/bruck");
  EXPECT_EQ(lookup(document, 4095).choice->text(), "allgather/ring");
}

Lesson native_allgather() {
  Lesson lesson = ring();
  lesson.algorithm = "native";
  return lesson;
}

TEST(Learned, OfSeveralCommunicatorsIsWhatMostOfThemFound) {
  std::string const one = with("", {ring(), ring(), native_allgather()});
  EXPECT_EQ(lookup(one, 1500).choice->text(), "allgather/ring");
  EXPECT_EQ(with("", {native_allgather(), ring(), ring()}), one);
}

TEST(Learned, OfCommunicatorsThatDisagreeIsNoRule) {
  EXPECT_TRUE(lookup(with("", {ring(), native_allgather()}), 1500).is_open);
  std::string const before = with("", {ring()});
  EXPECT_EQ(
      nlohmann::json::parse(with(before, {ring(), native_allgather()})).at("rules"),
      nlohmann::json::parse(before).at("rules")
  );
}

/// With the name of an algorithm of a later version in place of one of this.
std::string of_later_version(std::string document) {
  std::string const name = "allgather/bruck";
  std::size_t const place = document.find(name);
  EXPECT_NE(place, std::string::npos);
  return document.replace(place, name.size(), "allgather/carrier_pigeon");
}

TEST(Learned, KeepsRulesThatThisVersionDoesNotKnow) {
  Lesson later = ring();
  later.algorithm = "allgather/bruck";
  later.kind = kind_of(later.kind.call, later.kind.shape, 70000);
  std::string const before = of_later_version(with("", {later, ring()}));
  nlohmann::json const unknown = nlohmann::json::parse(before).at("rules").at(1);
  ASSERT_EQ(unknown.at("algorithm"), "allgather/carrier_pigeon");
  nlohmann::json const after = nlohmann::json::parse(with(before, {native_barrier()}));
  ASSERT_EQ(after.at("rules").size(), 3);
  EXPECT_EQ(after.at("rules").at(1), unknown);
  auto const known = profile::Profile::from_json(after, "memory.json", profile::Unknown::left_out);
  ASSERT_EQ(known.rules().size(), 2);
  EXPECT_EQ(known.rules()[0].choice->text(), "allgather/ring");
  EXPECT_THROW(static_cast<void>(profile::Profile::from_json(after, "memory.json")), Error);
}

TEST(Learned, KeepsTrialsThatThisVersionDoesNotKnow) {
  std::string const before = of_later_version(with("", Learned{.trials = {trials(1, 2)}}));
  nlohmann::json const unknown = nlohmann::json::parse(before).at("trials").at(0);
  Trials other = trials(1, 2);
  other.kind = kind_of(other.kind.call, other.kind.shape, 70000);
  nlohmann::json const after = nlohmann::json::parse(with(before, Learned{.trials = {other}}));
  ASSERT_EQ(after.at("trials").size(), 2);
  EXPECT_EQ(after.at("trials").at(1), unknown);
  EXPECT_EQ(
      trials_from_json(after, "memory.json", profile::Unknown::left_out).at(0).kind, other.kind
  );
}

TEST(Learned, OfOnePlacementIsKeptApartFromThatOfAnother) {
  Lesson cyclic = ring();
  cyclic.kind.shape.placement = profile::Placement::cyclic;
  Trials undecided = trials(1, 2);
  undecided.kind.shape.placement = profile::Placement::cyclic;
  Learned const learned{.lessons = {cyclic}, .trials = {undecided}};
  EXPECT_EQ(learned_from_bytes(to_bytes(learned)), learned);
  EXPECT_NE(undecided.kind < trials(1, 2).kind, trials(1, 2).kind < undecided.kind);
  Lesson block = ring();
  block.kind.shape.placement = profile::Placement::block;
  block.algorithm = "allgather/bruck";
  std::string const document = with(with("", learned), {block});
  profile::Profile const profile = profile::Profile::parse(document, "memory.json");
  ASSERT_EQ(profile.rules().size(), 2);
  EXPECT_EQ(profile.rules()[0].shape, cyclic.kind.shape);
  EXPECT_EQ(profile.rules()[1].shape, block.kind.shape);
  EXPECT_EQ(trials_in(document)[0].kind, undecided.kind);
}

/// A rule of a profile may cover more sizes than a lesson.
TEST(Learned, ReplacesRulesWithoutALimit) {
  Lesson unlimited = ring();
  unlimited.kind.max_bytes.reset();
  std::string const document = with(with("", {unlimited}), {ring()});
  EXPECT_EQ(profile::Profile::parse(document, "memory.json").rules().size(), 1);
  EXPECT_TRUE(lookup(document, 4096).is_open);
}

TEST(Learned, LeavesAloneWhatIsNoProfileOfThisMpi) {
  std::string const foreign = with_learned("", "memory.json", {}, "8 x app", {}, "Open MPI 4.1.4");
  for (std::string const& document : {foreign, std::string("{"), std::string("{\"rules\": 1}")}) {
    EXPECT_THROW(static_cast<void>(with(document, {ring()})), Error) << document;
  }
}

TEST(Learned, AddsEvidenceOfSeveralRunsUntilItSuffices) {
  std::string document;
  for (int run = 1; run < 5; ++run) {
    document = with(document, Learned{.trials = {trials(1, 1)}});
    ASSERT_EQ(trials_in(document).size(), 1);
    EXPECT_EQ(trials_in(document)[0].record.num_rounds, run);
    EXPECT_TRUE(lookup(document, 1500).is_open) << run;
  }
  document = with(document, Learned{.trials = {trials(1, 1)}});
  EXPECT_EQ(lookup(document, 1500).choice->text(), "allgather/bruck");
  EXPECT_EQ(trials_in(document)[0].record.num_rounds, 5) << "they tell how wrong the model is";
}

/// What one communicator's loop says counts more than single calls on another one.
TEST(Learned, RemembersWhichTimesAreOfALoop) {
  Trials loop = trials(3, 3);
  loop.record.is_of_loop = true;
  std::string document = with("", Learned{.trials = {loop}});
  ASSERT_EQ(trials_in(document).size(), 1);
  EXPECT_TRUE(trials_in(document)[0].record.is_of_loop);
  document = with(document, Learned{.trials = {trials(6, 6)}});
  EXPECT_TRUE(trials_in(document)[0].record.is_of_loop);
  EXPECT_EQ(trials_in(document)[0].record.num_rounds, 3);
  EXPECT_TRUE(lookup(document, 1500).is_open);
  document = with(document, Learned{.trials = {loop}});
  EXPECT_EQ(lookup(document, 1500).choice->text(), "allgather/bruck");
}

/// What another program decided meanwhile stays.
TEST(Learned, DecidesNothingWhereThereIsARule) {
  std::string const document = with(with("", {ring()}), Learned{.trials = {trials(6, 6)}});
  EXPECT_EQ(lookup(document, 1500).choice->text(), "allgather/ring");
}

TEST(Learned, TakesTheCallsOfTheLastRun) {
  Trials more = trials(1, 1);
  more.num_calls = 7;
  std::string const document =
      with(with("", Learned{.trials = {trials(1, 2)}}), Learned{.trials = {more}});
  EXPECT_EQ(trials_in(document)[0].num_calls, 7);
}

TEST(Learned, OfSeveralRanksIsOfOneRun) {
  Learned learned{.trials = {trials(1, 1)}};
  Trials other = trials(0, 1);
  other.num_calls = 9;
  other.seconds = 1e-4;
  learned.add({.lessons = {ring()}, .trials = {other}});
  ASSERT_EQ(learned.trials.size(), 1);
  EXPECT_EQ(learned.trials[0].num_calls, 9);
  EXPECT_EQ(learned.trials[0].seconds, 1e-4) << "who waited less saw more of the call";
  EXPECT_EQ(learned.trials[0].record.candidates[1].against_native, learn::Evidence::of(1, 2));
  EXPECT_EQ(learned.lessons.size(), 1);
}

TEST(Learned, HasAllCandidatesInTheirOrder) {
  Trials found{.kind = allgathers(), .seconds = 3e-4};
  found.add("allgather/ring", 2e-4);
  found.add("allgather/bruck", 1e-4);
  EXPECT_EQ(found.algorithms, (std::vector<std::string>{"allgather/ring", "allgather/bruck"}));
  ASSERT_EQ(found.record.candidates.size(), 3);
  EXPECT_EQ(found.record.candidates[0].seconds, 3e-4);
  EXPECT_EQ(found.record.candidates[1].predicted, 2e-4);
  EXPECT_EQ(found.record.candidates[2].predicted, 1e-4);
}

/// The root of a broadcast is through when it has sent. A second run that takes that for the time
/// of the call sees nothing at stake, and tries nothing.
TEST(Learned, KnowsNothingOfCallsThatOneRankLeftEarly) {
  Trials found{.kind = allgathers(), .num_calls = 2, .seconds = 5e-4};
  found.kind.call = profile::Call::bcast;
  EXPECT_DOUBLE_EQ(found.stake(), 2 * 5e-4);
  found.add("bcast/chain", 0.08);
  found.add("bcast/scatter_allgather", 0.04);
  EXPECT_EQ(found.record.candidates[0].seconds, 0);
  EXPECT_DOUBLE_EQ(found.stake(), 2 * 0.04) << "as long as the best one, as a model says";
  found.seconds = 0.1;
  EXPECT_DOUBLE_EQ(found.stake(), 2 * 0.1);
  Trials looked{.kind = found.kind, .num_calls = 2, .seconds = 5e-4, .exchange_seconds = 1e-4};
  looked.add("bcast/chain", 0.08);
  EXPECT_EQ(looked.record.candidates[0].seconds, 5e-4);
  EXPECT_DOUBLE_EQ(looked.stake(), 2 * 5e-4);
}

/// Two jobs whose models proposed different candidates.
TEST(Learned, KeepsTheCandidatesThatRanMore) {
  Trials other = trials(1, 3);
  other.algorithms = {"allgather/sparbit"};
  Trials const all = joined(trials(1, 2), other, false);
  EXPECT_EQ(all.algorithms, other.algorithms);
  EXPECT_EQ(joined(other, trials(1, 2), false).algorithms, other.algorithms);
}

Trials of_thorough_search() {
  Trials searched = trials(0, 0);
  searched.algorithms = {"allgather/ring"};
  searched.is_thorough = true;
  return searched;
}

TEST(Learned, PrefersTheCandidatesOfAThoroughSearch) {
  for (bool const is_same_run : {false, true}) {
    EXPECT_EQ(
        joined(trials(1, 9), of_thorough_search(), is_same_run).algorithms.front(), "allgather/ring"
    );
    EXPECT_EQ(
        joined(of_thorough_search(), trials(1, 9), is_same_run).algorithms.front(), "allgather/ring"
    );
  }
  Trials same = trials(1, 2);
  same.is_thorough = true;
  Trials const more = joined(same, trials(1, 2), false);
  EXPECT_TRUE(more.is_thorough);
  EXPECT_EQ(more.record.num_rounds, 4);
  Trials nothing_better = trials(0, 0);
  nothing_better.algorithms.clear();
  nothing_better.record = {};
  nothing_better.is_thorough = true;
  EXPECT_TRUE(joined(trials(1, 2), nothing_better, false).is_thorough) << "it is not sought again";
}

/// As soon as there are better candidates it is open again what is the fastest.
TEST(Learned, ForgetsWhatWonBeforeThereWereBetterCandidates) {
  Learned const searched{.trials = {of_thorough_search()}};
  std::string const document = with(with("", {native_allgather()}), searched);
  EXPECT_TRUE(lookup(document, 1500).is_open);
  EXPECT_TRUE(lookup(with(with("", {ring()}), searched), 1500).is_open);
  EXPECT_TRUE(trials_in(document).front().is_thorough);
  Trials tried = of_thorough_search();
  tried.record.num_rounds = 1;
  EXPECT_TRUE(
      lookup(with(with("", {native_allgather()}), Learned{.trials = {tried}}), 1500).is_native()
  );
}

TEST(Learned, RefusesTrialsThatAreNone) {
  std::string const good = with("", Learned{.trials = {trials(1, 2)}});
  auto const complaint = [&](std::string const& path, nlohmann::json const& value) {
    nlohmann::json document = nlohmann::json::parse(good);
    document[nlohmann::json::json_pointer(path)] = value;
    try {
      static_cast<void>(trials_from_json(document, "memory.json"));
    } catch (Error const& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(
      complaint("/trials/0/candidates/0/algorithm", "allgather/ring").find("native"),
      std::string::npos
  );
  EXPECT_NE(
      complaint("/trials/0/candidates/1/algorithm", "bcast/binomial").find("another collective"),
      std::string::npos
  );
  EXPECT_NE(
      complaint("/trials/0/candidates/1/algorithm", "allgather/nobody").find("nobody"),
      std::string::npos
  );
  EXPECT_NE(
      complaint("/trials/0/candidates/1/wins_and_pairs", {3, 2}).find("wins_and_pairs"),
      std::string::npos
  );
  EXPECT_NE(
      complaint("/trials/0/candidates/1/wins_and_pairs", {3}).find("two numbers"), std::string::npos
  );
  EXPECT_NE(
      complaint("/trials/0/candidates/1/clear_wins", -1).find("clear_wins"), std::string::npos
  );
  EXPECT_NE(complaint("/trials/0/seconds", -1).find("seconds"), std::string::npos);
  EXPECT_NE(complaint("/trials/0/num_ranks", 0).find("num_ranks"), std::string::npos);
  EXPECT_NE(complaint("/trials", "none").find("trials"), std::string::npos);
}

RunsOfProgram runs_in(std::string const& document, char const* program) {
  return runs_of(nlohmann::json::parse(document), program, "memory.json");
}

TEST(Learned, CountsTheRunsOfAProgramThatFoundNothing) {
  std::string const first = with("", {native_barrier()});
  EXPECT_EQ(runs_in(first, "8 x app").num_in_vain, 1);
  EXPECT_EQ(runs_in(first, "16 x app").num_in_vain, 0);
  EXPECT_EQ(runs_in(with(first, Learned{}), "8 x app").num_in_vain, 2);
}

TEST(Learned, CountsThemAnewWhenSomethingIsFound) {
  std::string const vain = with("", {native_barrier()});
  std::string const found = with(vain, {ring()});
  EXPECT_EQ(runs_in(found, "8 x app").num_in_vain, 0);
  std::string const again = with(found, {ring()});
  EXPECT_EQ(runs_in(again, "8 x app").num_in_vain, 1) << "the same algorithm is no news";
  Lesson other = ring();
  other.algorithm = "allgather/bruck";
  EXPECT_EQ(runs_in(with(again, {other}), "8 x app").num_in_vain, 0);
}

/// The evidence of several runs decides, not a lesson of one of them.
TEST(Learned, CountsThemAnewWhenEvidenceSuffices) {
  std::string const vain = with("", {native_barrier()});
  RunsOfProgram const runs = runs_in(with(vain, Learned{.trials = {trials(9, 9)}}), "8 x app");
  EXPECT_EQ(runs, (RunsOfProgram{.num_in_vain = 0, .seconds_at_stake = 0}));
}

TEST(Learned, KnowsWhatIsStillAtStake) {
  Trials barriers = trials(1, 2);
  barriers.kind = native_barrier().kind;
  barriers.algorithms = {"barrier/dissemination"};
  std::string const document = with("", Learned{.trials = {trials(1, 2), barriers}});
  double const of_each = trials(1, 2).stake();
  EXPECT_DOUBLE_EQ(runs_in(document, "8 x app").seconds_at_stake, 2 * of_each);
  Learned const decided{.lessons = {native_barrier()}, .trials = {trials(1, 2), barriers}};
  EXPECT_DOUBLE_EQ(runs_in(with(document, decided), "8 x app").seconds_at_stake, of_each);
}

TEST(Learned, KeepsTheProgramsThatRanLast) {
  nlohmann::json document = nlohmann::json::object();
  for (int i = 0; i < 102; ++i) {
    note_run(document, std::to_string(i), false, {.seconds_at_stake = 0.5});
  }
  EXPECT_EQ(document.at("programs").size(), 100);
  EXPECT_EQ(runs_of(document, "1", "memory.json"), RunsOfProgram());
  RunsOfProgram const kept{.num_in_vain = 1, .seconds_at_stake = 0.5};
  EXPECT_EQ(runs_of(document, "2", "memory.json"), kept);
}

TEST(Learned, KnowsWhatTheLastRunCostAndSaved) {
  RunsOfProgram const run{.seconds = 2, .cost_seconds = 0.1};
  Learned learned{.lessons = {ring()}, .saved_seconds = 0.25};
  learned.add(learned_from_bytes(to_bytes(Learned{.saved_seconds = 0.5})));
  std::string const document =
      with_learned("", "memory.json", learned, "8 x app", run, "MPICH 4.0.2");
  RunsOfProgram const kept{.seconds = 2, .cost_seconds = 0.1, .saved_seconds = 0.5};
  EXPECT_EQ(runs_in(document, "8 x app"), kept);
}

TEST(Learned, RefusesProgramsThatAreNone) {
  for (char const* const text :
       {R"({"programs": 1})",
        R"({"programs": [{"program": "a", "runs_in_vain": 1}]})",
        R"({"programs": [{"program": "a", "runs_in_vain": 1, "seconds_at_stake": 0, "seconds": "1"}]})",
        R"({"programs": [{"program": "a", "runs_in_vain": -1, "seconds_at_stake": 1}]})"}) {
    EXPECT_THROW(static_cast<void>(runs_in(text, "a")), Error) << text;
  }
}

TEST(Learned, RunsInVainCostLessAndLess) {
  RunsOfProgram const first{.num_in_vain = 0, .seconds_at_stake = 0};
  EXPECT_EQ(share_of_bound(first, 0.05), 1);
  RunsOfProgram const little{.num_in_vain = 3, .seconds_at_stake = 0.05};
  EXPECT_DOUBLE_EQ(share_of_bound(little, 0.05), 0.25);
  RunsOfProgram const much{.num_in_vain = 9, .seconds_at_stake = 4.05};
  EXPECT_DOUBLE_EQ(share_of_bound(much, 0.05), 0.9);
  RunsOfProgram const nothing{.num_in_vain = 1, .seconds_at_stake = 0};
  EXPECT_EQ(share_of_bound(nothing, 0.05), 0.1);
}

/// Of the last run of a program, 2 s long, in which trials cost 80 ms.
RunsOfProgram in_vain() {
  return {.num_in_vain = 3, .seconds_at_stake = 0.05, .seconds = 2, .cost_seconds = 0.08};
}

/// One of four runs loses 4 %, which is 1 % on the average.
TEST(Learned, RestsSoOftenThatItKeepsToItsShare) {
  EXPECT_FALSE(rests(in_vain(), 0.05, 0.01, 0.24));
  EXPECT_TRUE(rests(in_vain(), 0.05, 0.01, 0.25));
  EXPECT_FALSE(rests(in_vain(), 0.05, 0.02, 0.49)) << "more is allowed";
  EXPECT_TRUE(rests(in_vain(), 0.05, 0, 0)) << "nothing is allowed";
}

TEST(Learned, RestsOnlyIfItIsInVainAndTakesLong) {
  constexpr double draw = 0.99;
  RunsOfProgram much_at_stake = in_vain();
  much_at_stake.seconds_at_stake = 0.2;
  EXPECT_FALSE(rests(much_at_stake, 0.05, 0.01, draw));
  RunsOfProgram successful = in_vain();
  successful.num_in_vain = 0;
  EXPECT_FALSE(rests(successful, 0.05, 0.01, draw));
  RunsOfProgram long_program = in_vain();
  long_program.seconds = 9;
  EXPECT_FALSE(rests(long_program, 0.05, 0.01, draw));
  RunsOfProgram saves_more = in_vain();
  saves_more.saved_seconds = 0.09;
  EXPECT_FALSE(rests(saves_more, 0.05, 0.01, draw)) << "rules that were learned go on to help";
  RunsOfProgram unknown = in_vain();
  unknown.seconds = 0;
  EXPECT_FALSE(rests(unknown, 0.05, 0, draw)) << "an older version wrote it";
}

Trials exchanges(int max_neighbors) {
  Trials one = trials(3, 4);
  profile::Shape const shape{
      .num_ranks = 8,
      .num_nodes = 2,
      .topology = profile::Topology::grid,
      .max_neighbors = max_neighbors,
  };
  one.kind = kind_of(profile::Call::neighbor_alltoall, shape, 1500);
  one.algorithms = {"neighbor_alltoall/node_aware"};
  return one;
}

TEST(Learned, OfNeighborhoodsIsKeptApartByTheirClass) {
  Lesson lesson = ring();
  lesson.kind = exchanges(4).kind;
  lesson.algorithm = "neighbor_alltoall/combining";
  Learned const learned{.lessons = {ring(), lesson}, .trials = {exchanges(4), exchanges(8)}};
  EXPECT_EQ(learned_from_bytes(to_bytes(learned)), learned);

  std::string const document = with("", learned);
  EXPECT_EQ(trials_in(document).size(), 2U);
  profile::Profile const profile = profile::Profile::parse(document, "memory.json");
  ASSERT_EQ(profile.rules().size(), 2U);
  EXPECT_EQ(profile.rules()[1].shape.max_neighbors, 4);
  EXPECT_EQ(profile.rules()[1].neighbors->name, "combining");

  Lesson other = lesson;
  other.kind = exchanges(8).kind;
  EXPECT_EQ(profile::Profile::parse(with(document, {other}), "m").rules().size(), 3U);
}

TEST(Learned, OfDisconnectedNeighborhoodsIsForAllSizes) {
  profile::Shape shape{.num_ranks = 4, .topology = profile::Topology::disconnected};
  shape.max_neighbors = 2;
  KindOfCalls const kind = kind_of(profile::Call::neighbor_alltoall, shape, 1500);
  EXPECT_EQ(kind.min_bytes, 0);
  EXPECT_FALSE(kind.max_bytes.has_value());
}

TEST(Learned, TrialsOfNeighborhoodsHaveAlgorithmsThatServeThem) {
  Trials wrong = exchanges(4);
  wrong.algorithms = {"allgather/ring"};
  EXPECT_THROW(static_cast<void>(learned_from_bytes(to_bytes(Learned{.trials = {wrong}}))), Error);
}

}  // namespace
}  // namespace espalier::plan
