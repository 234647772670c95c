// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/statistics.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "espalier/neighborhood/catalog.hpp"

namespace espalier::plan {
namespace {

using profile::Call;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(SizeClass, CoversEverySizeOnce) {
  for (std::int64_t const bytes :
       {std::int64_t{0},
        std::int64_t{1},
        std::int64_t{2},
        std::int64_t{3},
        std::int64_t{4},
        std::int64_t{1023},
        std::int64_t{1024},
        largest}) {
    std::size_t const found = size_class(bytes);
    EXPECT_LE(min_bytes_of(found), bytes);
    EXPECT_GE(max_bytes_of(found), bytes);
  }
  for (std::size_t k = 1; k < num_size_classes - 1; ++k) {
    EXPECT_EQ(min_bytes_of(k), max_bytes_of(k - 1) + 1) << k;
  }
  EXPECT_EQ(max_bytes_of(0), 0);
}

TEST(Recorder, CountsByCallSizeAndDecision) {
  profile::Decision const native{.reason = "no profile"};
  profile::Decision const ring{
      .choice = algorithms::Choice::parse("allgather/ring"), .reason = "forced"
  };
  Recorder recorder;
  for (int i = 0; i < 10; ++i) {
    recorder.record(Call::allgather, 600, native, 0.5);
    recorder.record(Call::allgather, 1000, ring, 0.25);
    recorder.record(Call::bcast, 600, native, 1.0);
    recorder.record(Call::allgather, 1024, native, 2.0);
  }
  ASSERT_EQ(recorder.rows().size(), 4U);
  EXPECT_EQ(recorder.rows()[0].counter.count, 10U);
  EXPECT_EQ(recorder.rows()[0].counter.bytes, 6000);
  EXPECT_DOUBLE_EQ(recorder.rows()[1].counter.seconds, 2.5);
}

TEST(Recorder, TellsMannersApart) {
  profile::Decision const native{.reason = "no profile"};
  Manner const max_in_place{.op = Operator::max, .is_in_place = true};
  Recorder recorder;
  for (int i = 0; i < 3; ++i) {
    recorder.record(Call::allreduce, 8, native, 1.0, {.op = Operator::sum});
    recorder.record(Call::allreduce, 8, native, 1.0, max_in_place);
    recorder.record(Call::allreduce, 8, native, 1.0, max_in_place);
  }
  ASSERT_EQ(recorder.rows().size(), 2U);
  EXPECT_EQ(recorder.rows()[0].counter.count, 3U);
  EXPECT_EQ(recorder.rows()[1].counter.count, 6U);
  EXPECT_EQ(recorder.rows()[1].manner, max_in_place);
}

TEST(Recorder, IsBoundedForProgramsThatGoRoundTheirRoots) {
  profile::Decision const native{.reason = "no profile"};
  profile::Decision const other{.reason = "forced"};
  Recorder recorder;
  for (int round = 0; round < 2; ++round) {
    for (int root = 0; root < 1000; ++root) {
      recorder.record(Call::bcast, 8, native, 1.0, {.root = root});
    }
  }
  recorder.record(Call::bcast, 8, other, 1.0, {.root = 999});
  ASSERT_EQ(recorder.rows().size(), Recorder::most_manners + 2);
  EXPECT_EQ(recorder.rows()[0].counter.count, 2U);
  Recorder::Row const& rest = recorder.rows()[Recorder::most_manners];
  EXPECT_EQ(rest.manner, Manner::others());
  EXPECT_EQ(rest.counter.count, 2 * (1000 - Recorder::most_manners));
  EXPECT_EQ(recorder.rows().back().manner.root, 999) << "another decision has room of its own";
}

TEST(Recorder, GivesTheRowThatCounted) {
  profile::Decision const native{.reason = "no profile"};
  Recorder recorder;
  recorder.record(Call::bcast, 8, native, 1.0);
  EXPECT_EQ(recorder.record(Call::bcast, 9, native, 1.0).counter.count, 2U);
  Recorder::Row& row = recorder.record(Call::allgatherv, 100, native, 1.0);
  EXPECT_EQ(row.call, Call::allgatherv);
  std::size_t const before = recorder.memory_bytes();
  row.parts = std::make_unique<PartSizes>(PartSizes{.call = 1, .bytes = {40, 60}});
  EXPECT_GE(recorder.memory_bytes(), before + 2 * sizeof(std::int64_t));
}

TEST(Operator, NamesAreReadAsTheyAreWritten) {
  for (std::string_view const name : operator_names) {
    EXPECT_EQ(parse_operator(name).has_value(), !name.empty()) << name;
    EXPECT_EQ(to_string(parse_operator(name).value_or(Operator::none)), name);
  }
  EXPECT_FALSE(parse_operator("plus"));
}

TEST(Totals, KeepsThePartsOfTheMannerWithMostCalls) {
  profile::Decision const native{.reason = "no profile"};
  Recorder recorder;
  auto const record = [&](int root, std::uint64_t count, std::int64_t part) {
    for (std::uint64_t i = 0; i < count; ++i) {
      Recorder::Row& row = recorder.record(Call::gatherv, 0, native, 1.0, {.root = root}, part);
      row.parts = std::make_unique<PartSizes>(PartSizes{.call = count, .bytes = {part}});
    }
  };
  record(0, 2, 10);
  record(1, 4, 20);
  record(2, 1, 30);
  Totals totals;
  totals.add({.num_ranks = 4, .num_nodes = 1, .ranks = "0-3"}, recorder);
  ASSERT_EQ(totals.rows().size(), 1U);
  Totals::Row const& row = totals.rows().begin()->second;
  EXPECT_EQ(row.counter.count, 7U);
  EXPECT_EQ(row.manners.size(), 3U);
  EXPECT_EQ(row.parts.bytes, std::vector<std::int64_t>{20});
  EXPECT_EQ(row.parts.call, 4U);
}

TEST(Totals, CountsNeighborhoodCallsByWhatRan) {
  NeighborRecorder recorder;
  profile::Decision const native{.reason = "no profile"};
  profile::Decision const direct{
      .neighbors = &neighborhood::find("neighbor_alltoall/direct"), .reason = "learning"
  };
  auto const record = [&](profile::Decision const& decision, Counter const& one) {
    recorder.record({.call = NeighborCall::alltoall}, 25, decision, one);
  };
  record(native, {.count = 1, .bytes = 100, .seconds = 1.0});
  record(native, {.count = 1, .bytes = 200, .seconds = 2.0});
  record(direct, {.count = 1, .bytes = 50, .seconds = 0.5});
  NeighborForm const started{.call = NeighborCall::alltoall, .form = profile::Form::nonblocking};
  recorder.record(started, 25, native, {.count = 1, .bytes = 7, .seconds = 0.1});
  Totals totals;
  totals.add({.num_ranks = 4, .num_nodes = 1, .ranks = "0-3"}, recorder);
  ASSERT_EQ(totals.rows().size(), 3U);
  EXPECT_EQ(totals.rows().begin()->first.function, "MPI_Ineighbor_alltoall");
  EXPECT_EQ(totals.rows().begin()->second.counter.bytes, 7);
  auto const& [key, row] = *std::next(totals.rows().begin());
  EXPECT_EQ(key.function, "MPI_Neighbor_alltoall");
  EXPECT_EQ(key.algorithm, "native");
  EXPECT_EQ(key.reason, "no profile");
  EXPECT_EQ(min_bytes_of(key.size_class), 16);
  EXPECT_EQ(row.counter.bytes, 300);
  EXPECT_EQ(totals.rows().rbegin()->first.algorithm, "neighbor_alltoall/direct");
}

TEST(Totals, AddsWhatBecameOfNonblockingCalls) {
  profile::Decision const native{.reason = "no profile"};
  Recorder recorder;
  for (double const seconds : {0.5, 0.25}) {
    Recorder::Row& row = recorder.record(Call::bcast, 8, native, 0.125);
    if (row.completions == nullptr) {
      row.completions = std::make_shared<Completions>();
    }
    row.completions->add({.num_tests = 1, .waiting_seconds = seconds});
    row.completions->add({.count = 1, .waiting_seconds = seconds, .work_seconds = 3});
  }
  Totals totals;
  totals.add({.num_ranks = 4}, recorder, CountedForm::nonblocking);
  totals.add({.num_ranks = 4}, recorder, CountedForm::nonblocking);
  Completed const expected{.count = 4, .num_tests = 4, .waiting_seconds = 3, .work_seconds = 12};
  EXPECT_EQ(totals.rows().begin()->second.completed, expected);
  auto const document = nlohmann::json::parse(statistics_json({}, totals));
  nlohmann::json const& call = document.at("calls").at(0);
  EXPECT_EQ(call.at("function"), "MPI_Ibcast");
  EXPECT_EQ(call.at("seconds"), 0.5) << "of the start";
  EXPECT_EQ(
      call.at("completed"),
      nlohmann::json({{"count", 4}, {"tests", 4}, {"waiting_seconds", 3.0}, {"work_seconds", 12.0}})
  );
  EXPECT_NE(statistics_table({}, totals).find(" 3.500000 s  native"), std::string::npos);
  Recorder blocking;
  blocking.record(Call::bcast, 8, native, 1.0);
  Totals others;
  others.add({.num_ranks = 4}, blocking);
  EXPECT_FALSE(
      nlohmann::json::parse(statistics_json({}, others)).at("calls").at(0).contains("completed")
  );
}

TEST(Totals, AddsCommunicatorsOfOneSize) {
  profile::Decision const native{.reason = "no profile"};
  profile::Decision const same_text{.reason = "no profile"};
  Recorder first;
  Recorder second;
  first.record(Call::bcast, 8, native, 1.0);
  second.record(Call::bcast, 9, same_text, 2.0);
  Totals totals;
  totals.add({.num_ranks = 4}, first);
  totals.add({.num_ranks = 4}, second);
  totals.add({.num_ranks = 3}, second);
  ASSERT_EQ(totals.rows().size(), 2U);
  auto const& row = *totals.rows().rbegin();
  EXPECT_EQ(row.first.communicator.num_ranks, 4);
  EXPECT_EQ(row.second.counter.count, 2U);
  EXPECT_EQ(row.second.counter.bytes, 17);
  EXPECT_DOUBLE_EQ(row.second.counter.seconds, 3.0);
}

TEST(Totals, TellsCommunicatorsWithOtherRanksApart) {
  profile::Decision const native{.reason = "no profile"};
  Recorder recorder;
  recorder.record(Call::bcast, 8, native, 1.0);
  Totals totals;
  totals.add({.num_ranks = 2, .num_nodes = 1, .ranks = "0-1"}, recorder);
  totals.add({.num_ranks = 2, .num_nodes = 2, .ranks = "0,2"}, recorder);
  totals.add({.num_ranks = 2, .num_nodes = 1, .ranks = "0-1"}, recorder);
  EXPECT_EQ(totals.rows().size(), 2U);
}

TEST(Totals, IsBoundedForProgramsWithManyCommunicators) {
  profile::Decision const native{.reason = "no profile"};
  Recorder recorder;
  recorder.record(Call::bcast, 8, native, 1.0);
  Totals totals;
  for (int i = 0; i < 1000; ++i) {
    totals.add({.num_ranks = 1, .num_nodes = 1, .ranks = std::to_string(i)}, recorder);
  }
  EXPECT_EQ(totals.rows().size(), Totals::most_classes + 1);
}

TEST(StatisticsJson, SaysWhatTheFormatPromises) {
  profile::Decision const binomial{
      .choice = algorithms::Choice::parse("bcast/binomial"), .reason = "profile rule 3: faster"
  };
  Recorder recorder;
  recorder.record(Call::bcast, 600, binomial, 0.125);
  Totals totals;
  totals.add({.num_ranks = 4, .num_nodes = 2, .ranks = "0-3"}, recorder);
  totals.add({.count = 1, .seconds = 0.5});
  totals.add({.count = 1, .seconds = 0.25});
  ProcessReport const report{
      .rank = 1,
      .num_ranks = 4,
      .run = "of today",
      .vendor = "openmpi",
      .library_version = "Open MPI v4.1.4",
      .seconds = 1.5,
      .is_finalized = true,
      .memory_bytes = 20480,
      .warnings = {"not UTF-8: \xff"},
      .mappings =
          {{.function = "MPI_Cart_create",
            .num_ranks = 4,
            .algorithm = "nodecart",
            .report = "2x2 on 2 nodes: better"}},
  };
  nlohmann::json const json = nlohmann::json::parse(statistics_json(report, totals));
  EXPECT_EQ(json["schema"], "espalier-statistics");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["rank"], 1);
  EXPECT_EQ(json["mpi"]["vendor"], "openmpi");
  EXPECT_EQ(json["run"], "of today");
  EXPECT_EQ(json["finalized"], true);
  EXPECT_EQ(json["memory_bytes"], 20480);
  EXPECT_EQ(json["warnings"].size(), 1U);
  nlohmann::json const expected = {
      {"function", "MPI_Bcast"},
      {"num_ranks", 4},
      {"num_nodes", 2},
      {"ranks", "0-3"},
      {"min_bytes", 512},
      {"max_bytes", 1023},
      {"count", 1},
      {"bytes", 600},
      {"seconds", 0.125},
      {"algorithm", "bcast/binomial"},
      {"reason", "profile rule 3: faster"},
  };
  EXPECT_EQ(json["calls"], nlohmann::json::array({expected}));
  nlohmann::json const mapping = {
      {"function", "MPI_Cart_create"},
      {"num_ranks", 4},
      {"algorithm", "nodecart"},
      {"report", "2x2 on 2 nodes: better"},
  };
  EXPECT_EQ(json["mappings"], nlohmann::json::array({mapping}));
  nlohmann::json const made = {{"count", 2}, {"seconds", 0.75}};
  EXPECT_EQ(json["own_communicators"], made);
}

nlohmann::json calls_json(Totals const& totals) {
  return nlohmann::json::parse(statistics_json({.rank = 0}, totals))["calls"];
}

TEST(StatisticsJson, SaysHowCallsWereMade) {
  profile::Decision const native{.reason = "no profile"};
  Recorder recorder;
  recorder.record(Call::reduce, 8, native, 0.5, {.root = 3, .op = Operator::user_ordered});
  recorder.record(Call::reduce, 8, native, 0.25, Manner::others());
  recorder.record(Call::allgather, 8, native, 1.0, {.is_in_place = true});
  recorder.record(Call::scan, 8, native, 1.0);
  Totals totals;
  totals.add({.num_ranks = 4, .num_nodes = 1, .ranks = "0-3"}, recorder);
  nlohmann::json const calls = calls_json(totals);
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0]["manners"][0]["in_place"], true);
  EXPECT_FALSE(calls[0]["manners"][0].contains("root"));
  nlohmann::json const others = {{"others", true}, {"count", 1}, {"seconds", 0.25}};
  nlohmann::json const ordered = {
      {"root", 3}, {"operator", "user_ordered"}, {"count", 1}, {"seconds", 0.5}
  };
  EXPECT_EQ(calls[1]["manners"], nlohmann::json::array({others, ordered}));
  EXPECT_FALSE(calls[2].contains("manners")) << "there is nothing to say";
}

TEST(StatisticsJson, HasPartsOfCommunicatorsThatAreKnown) {
  profile::Decision const native{.reason = "no profile"};
  Recorder recorder;
  Recorder::Row& row = recorder.record(Call::alltoallv, 0, native, 1.0, {}, 12);
  row.parts =
      std::make_unique<PartSizes>(PartSizes{.call = 1, .bytes = {0, 12}, .received_bytes = 7});
  Totals totals;
  totals.add({.num_ranks = 2, .num_nodes = 1, .ranks = "0-1"}, recorder);
  totals.add({.num_ranks = 2, .num_nodes = 0, .ranks = ""}, recorder);
  nlohmann::json const calls = calls_json(totals);
  ASSERT_EQ(calls.size(), 2U);
  nlohmann::json const parts = {{"call", 1}, {"bytes", {0, 12}}, {"received_bytes", 7}};
  for (nlohmann::json const& call : calls) {
    EXPECT_EQ(call.contains("parts"), call["ranks"] == "0-1");
    EXPECT_TRUE(!call.contains("parts") || call["parts"] == parts) << call;
  }
}

TEST(StatisticsTable, HasALineForEachFunctionAndAlgorithm) {
  profile::Decision const native{.reason = "no profile"};
  Recorder recorder;
  recorder.record(Call::bcast, 8, native, 1.0);
  recorder.record(Call::bcast, 800, native, 1.0);
  recorder.record(Call::allgather, 800, native, 1.0);
  Totals totals;
  totals.add({.num_ranks = 2}, recorder);
  std::string const table = statistics_table({.rank = 0}, totals);
  EXPECT_EQ(std::ranges::count(table, '\n'), 3);
  EXPECT_NE(
      table.find("MPI_Bcast                2 calls              808 bytes"), std::string::npos
  ) << table;
}

}  // namespace
}  // namespace espalier::plan
