// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/request_table.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::plan {

/// What is behind a handle is not looked at.
class PlannedRequest {};

namespace {

TEST(RequestTable, FindsNothingAtFirst) {
  RequestTable const table;
  EXPECT_EQ(table.find(5), nullptr);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_TRUE(table.entries().empty());
}

TEST(RequestTable, AHandleThatWasErasedMayStandForAnother) {
  RequestTable table;
  PlannedRequest first;
  PlannedRequest second;
  table.insert(64, &first);
  table.erase(64);
  EXPECT_EQ(table.find(64), nullptr);
  table.insert(64, &second);
  EXPECT_EQ(table.find(64), &second);
  EXPECT_EQ(table.size(), 1U);
}

TEST(RequestTable, FindsWhatIsThereAfterAnyInsertionsAndErasures) {
  RequestTable table;
  std::vector<PlannedRequest> requests(300);
  std::map<std::uint64_t, PlannedRequest*> expected;
  std::mt19937_64 random(1);
  for (int step = 0; step < 20000; ++step) {
    // Handles are numbers in a row, or addresses in equal distances.
    std::uint64_t const number = random() % requests.size();
    std::uint64_t const handle =
        number % 2 == 0 ? 0x98000000U + number : 0x7f0000001000U + number * 320;
    if (expected.contains(handle)) {
      table.erase(handle);
      expected.erase(handle);
    } else {
      table.insert(handle, &requests[number]);
      expected[handle] = &requests[number];
    }
    std::uint64_t const other = 0x98000000U + random() % (2 * requests.size());
    auto const found = expected.find(other);
    ASSERT_EQ(table.find(other), found == expected.end() ? nullptr : found->second);
  }
  std::vector<RequestTable::Entry> entries = table.entries();
  std::ranges::sort(entries);
  EXPECT_EQ(entries, std::vector<RequestTable::Entry>(expected.begin(), expected.end()));
  EXPECT_EQ(table.size(), expected.size());
}

}  // namespace
}  // namespace espalier::plan
