// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/statistics.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
  EXPECT_EQ(row.second.count, 2U);
  EXPECT_EQ(row.second.bytes, 17);
  EXPECT_DOUBLE_EQ(row.second.seconds, 3.0);
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
