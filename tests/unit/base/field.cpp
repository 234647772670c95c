// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/field.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"

namespace espalier {
namespace {

std::string complaint(std::string const& text) {
  try {
    static_cast<void>(parse_json(text, "a.json"));
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    return error.what();
  }
  return "";
}

TEST(ParseJson, SaysWhereItStopsBeingJson) {
  EXPECT_EQ(complaint(R"({"a": })"), "a.json: expected JSON, got something else near byte 7 of 7");
  EXPECT_EQ(complaint(R"({"a": 1e308})"), "");
}

TEST(ParseJson, RefusesNumbersThatNothingHolds) {
  EXPECT_EQ(complaint(R"({"a": 1e400})"), "a.json: expected numbers below 1.8e308 in JSON");
}

}  // namespace
}  // namespace espalier
