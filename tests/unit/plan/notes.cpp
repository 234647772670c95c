// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/notes.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/plan/native_reason.hpp"

namespace espalier::plan {
namespace {

TEST(Notes, ReportAWarningOnce) {
  std::vector<std::string> said;
  Notes notes([&](std::string const& line) { said.push_back(line); });
  notes.warn("a");
  notes.warn("b");
  notes.warn("a");
  EXPECT_EQ(said, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(notes.warnings(), said);
}

TEST(Notes, DoNotReportWhatIsOnlyRemembered) {
  std::vector<std::string> said;
  Notes notes([&](std::string const& line) { said.push_back(line); });
  EXPECT_TRUE(notes.remember("a"));
  EXPECT_FALSE(notes.remember("a"));
  notes.warn("a");
  EXPECT_TRUE(said.empty());
  EXPECT_EQ(notes.warnings(), std::vector<std::string>{"a"});
}

TEST(Notes, WhatIsToldOnceIsNoWarning) {
  Notes notes([](std::string const&) {});
  EXPECT_TRUE(notes.is_first("mapping"));
  EXPECT_FALSE(notes.is_first("mapping"));
  EXPECT_TRUE(notes.is_first("another"));
  EXPECT_TRUE(notes.warnings().empty());
}

TEST(Notes, AddUpCommunicatorsOfOurOwn) {
  Notes notes([](std::string const&) {});
  notes.add(OwnCommunicators{.count = 1, .seconds = 0.5});
  notes.add(OwnCommunicators{.count = 2, .seconds = 0.25});
  EXPECT_EQ(notes.totals().own_communicators().count, 3);
  EXPECT_EQ(notes.totals().own_communicators().seconds, 0.75);
}

TEST(NativeDecisions, AreNativeForAnySizeAndSayWhy) {
  NativeDecisions const decisions;
  EXPECT_EQ(decisions.decision(NativeReason::no_data).reason, "no data");
  EXPECT_EQ(decisions.decision(NativeReason::one_rank).reason, "one rank");
  profile::DecisionTable const& table = decisions.table(NativeReason::refused_order);
  EXPECT_FALSE(table.chooses());
  EXPECT_EQ(table.at(0).reason, table.at(1 << 30).reason);
}

}  // namespace
}  // namespace espalier::plan
