// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/whole_file.hpp"

#include <gtest/gtest.h>

#include "espalier/base/median.hpp"

namespace espalier {
namespace {

TEST(StateFolder, IsTheOneOfTheUser) {
  EXPECT_EQ(state_folder("/state", "/home/me"), "/state/espalier");
  EXPECT_EQ(state_folder("", "/home/me"), "/home/me/.local/state/espalier");
  EXPECT_EQ(state_folder(nullptr, "/home/me"), "/home/me/.local/state/espalier");
  EXPECT_EQ(state_folder(nullptr, ""), "");
  EXPECT_EQ(state_folder(nullptr, nullptr), "");
}

TEST(Median, IsInTheMiddle) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median_of({7}), 7);
}

}  // namespace
}  // namespace espalier
