// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/synchronization.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::schedule {
namespace {

TEST(Synchronization, HasNineModesWithNames) {
  std::set<std::string> names;
  for (Synchronization const mode : all_synchronizations()) {
    names.insert(to_string(mode));
    EXPECT_EQ(parse_synchronization(to_string(mode)), mode);
  }
  EXPECT_EQ(names.size(), 9U);
  EXPECT_EQ(
      to_string(Synchronization{.in = Sync::mysync, .out = Sync::allsync}), "IN_MYSYNC|OUT_ALLSYNC"
  );
}

TEST(Synchronization, NamesTheModesThatThereAre) {
  try {
    static_cast<void>(parse_synchronization("IN_SYNC"));
    FAIL() << "expected an error";
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::argument);
    EXPECT_NE(std::string(error.what()).find("IN_NOSYNC|OUT_MYSYNC"), std::string::npos);
  }
}

}  // namespace
}  // namespace espalier::schedule
