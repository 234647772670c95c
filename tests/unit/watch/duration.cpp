// SPDX-License-Identifier: Apache-2.0

#include "espalier/watch/duration.hpp"

#include <string>

#include <gtest/gtest.h>

namespace espalier::watch {
namespace {

constexpr Time ms = 1'000'000;
constexpr Time s = 1000 * ms;

TEST(Duration, IsATimeWithItsUnitOrSeconds) {
  EXPECT_EQ(parse_duration("500ms"), 500 * ms);
  EXPECT_EQ(parse_duration("30s"), 30 * s);
  EXPECT_EQ(parse_duration("2min"), 120 * s);
  EXPECT_EQ(parse_duration("45"), 45 * s);
  EXPECT_EQ(parse_duration("8784h"), std::nullopt);
}

TEST(Duration, IsNothingElse) {
  for (std::string const text :
       {"",
        "0",
        "0s",
        "-1s",
        "+1s",
        " 1s",
        "1 s",
        "s",
        "1.5s",
        "1s ",
        "1S",
        "1sec",
        "soon",
        "1e3",
        "99999999999999999999s",
        "9223372036854775807min",
        "527041min"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
  EXPECT_TRUE(parse_duration("527040min")) << "a year of 366 days";
}

TEST(Duration, IsRoundedDownForPeople) {
  EXPECT_EQ(duration_text(0), "0 ms");
  EXPECT_EQ(duration_text(-5), "0 ms");
  EXPECT_EQ(duration_text(250 * ms + 999), "250 ms");
  EXPECT_EQ(duration_text(1 * s), "1 s");
  EXPECT_EQ(duration_text(1 * s + 99 * ms), "1 s");
  EXPECT_EQ(duration_text(1 * s + 560 * ms), "1.5 s");
  EXPECT_EQ(duration_text(30 * s + 999 * ms), "30 s");
  EXPECT_EQ(duration_text(599 * s), "599 s");
  EXPECT_EQ(duration_text(1250 * s), "20 min");
}

}  // namespace
}  // namespace espalier::watch
