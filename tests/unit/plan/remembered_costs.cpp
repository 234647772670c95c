// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/orders/remembered_costs.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/mapping/places.hpp"

namespace espalier::plan {
namespace {

using mapping::Channels;
using mapping::LevelCosts;

constexpr std::int64_t now = 1'800'000'000;

CostsKey key(std::int64_t bytes = 1000) {
  return {.places = "node 2x4", .bytes = bytes};
}

LevelCosts costs(double rtt_us = 100) {
  return {
      .rtt_us = {rtt_us, 1.5},
      .group_level = 0,
      .channels = {.across = 2, .inside = Channels::unlimited},
  };
}

std::string file(double rtt_us = 100) {
  return with_costs("", "file", key(), costs(rtt_us), now);
}

TEST(RememberedCosts, AreReadAsTheyWereWritten) {
  EXPECT_EQ(remembered_costs(file(), "file", key(), 1, now), costs());
  EXPECT_EQ(remembered_costs(file(), "file", key(1001), 1, now), std::nullopt);
  EXPECT_EQ(
      remembered_costs(file(), "file", {.places = "node 4x2", .bytes = 1000}, 1, now), std::nullopt
  );
  EXPECT_EQ(remembered_costs(file(), "file", key(), 2, now), std::nullopt);
}

TEST(RememberedCosts, AreForgottenAfterAWhile) {
  EXPECT_TRUE(remembered_costs(file(), "file", key(), 1, now + most_seconds_remembered));
  EXPECT_FALSE(remembered_costs(file(), "file", key(), 1, now + most_seconds_remembered + 1));
  EXPECT_FALSE(remembered_costs(file(), "file", key(), 1, now - most_seconds_remembered - 1));
}

TEST(RememberedCosts, ReplaceEarlierOnesAndKeepOthers) {
  std::string text = with_costs(file(), "file", key(2000), costs(300), now + 1);
  text = with_costs(text, "file", key(), costs(200), now + 2);
  EXPECT_EQ(remembered_costs(text, "file", key(), 1, now), costs(200));
  EXPECT_EQ(remembered_costs(text, "file", key(2000), 1, now), costs(300));
}

TEST(RememberedCosts, KeepTheLatest) {
  std::string text;
  for (int i = 0; i < 258; ++i) {
    text = with_costs(text, "file", key(1 + i), costs(), now + i);
  }
  EXPECT_FALSE(remembered_costs(text, "file", key(2), 1, now));
  EXPECT_TRUE(remembered_costs(text, "file", key(3), 1, now));
  EXPECT_TRUE(remembered_costs(text, "file", key(258), 1, now));
}

std::string complaint(std::string const& text) {
  try {
    static_cast<void>(remembered_costs(text, "file", key(), 1, now));
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "none";
}

std::string changed(std::string const& what, std::string const& with) {
  std::string text = file();
  std::size_t const place = text.find(what);
  EXPECT_NE(place, std::string::npos) << what;
  return text.replace(place, what.size(), with);
}

TEST(RememberedCosts, ComplainOfWhatIsNotTheirFile) {
  EXPECT_NE(complaint("what"), "none");
  EXPECT_NE(complaint("{}"), "none");
  EXPECT_NE(complaint(file().substr(0, 100)), "none");
  EXPECT_NE(
      complaint(changed("espalier-distances", "espalier-profile")).find("espalier-distances"),
      std::string::npos
  );
  EXPECT_NE(
      complaint(changed("\"version\": 1", "\"version\": 2")).find("version 1"), std::string::npos
  );
  EXPECT_NE(complaint(changed("100.0", "-1")), "none");
  EXPECT_NE(complaint(changed("1.5", "null")), "none");
  EXPECT_NE(complaint(changed("\"group_level\": 0", "\"group_level\": 2")), "none");
  EXPECT_NE(complaint(changed("\"channels_across\": 2.0", "\"channels_across\": 0.5")), "none");
  EXPECT_THROW(static_cast<void>(with_costs("what", "file", key(), costs(), now)), Error);
}

TEST(CostsKey, HasTheSizesOfAllLevels) {
  mapping::Places const places(
      {{.name = "node", .group_of_rank = {0, 0, 0, 0, 1, 1, 1}},
       {.name = "package", .group_of_rank = {0, 0, 1, 1, 2, 2, 3}}}
  );
  EXPECT_EQ(
      costs_key(places, 64), (CostsKey{.places = "node 1x4,1x3; package 3x2,1x1", .bytes = 64})
  );
}

}  // namespace
}  // namespace espalier::plan
