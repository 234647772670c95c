// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/measure/common/json_lines.hpp"
#include "espalier/measure/common/plan_and_output.hpp"

namespace espalier::measure {
namespace {

TEST(JsonLines, AreThereBeforeTheFileIsClosed) {
  std::filesystem::path const path =
      std::filesystem::temp_directory_path() / "espalier_json_lines_test.jsonl";
  JsonLines lines(path.string());
  lines.write("{}");
  lines.write("[1]");
  std::ifstream file(path);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  EXPECT_EQ(text, "{}\n[1]\n");
}

TEST(JsonLines, NameTheFileThatCannotBeWritten) {
  EXPECT_THROW(JsonLines("/no/such/folder/file"), Error);
  JsonLines full("/dev/full");
  try {
    full.write("{}");
    ADD_FAILURE() << "/dev/full took a line";
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_NE(std::string(error.what()).find("/dev/full"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos);
  }
}

TEST(PlanAndOutput, TakesBothInAnyOrder) {
  std::array const words{"program", "--output", "o", "--plan", "p"};
  auto const options = PlanAndOutput::parse(words.size(), words.data());
  ASSERT_TRUE(options);
  EXPECT_EQ(options->plan, "p");
  EXPECT_EQ(options->output, "o");
}

TEST(PlanAndOutput, RefusesAnythingElse) {
  std::array const few{"program", "--plan", "p"};
  EXPECT_FALSE(PlanAndOutput::parse(few.size(), few.data()));
  std::array const unknown{"program", "--output", "o", "--plam", "p"};
  EXPECT_FALSE(PlanAndOutput::parse(unknown.size(), unknown.data()));
  std::array const twice{"program", "--plan", "o", "--plan", "p"};
  EXPECT_FALSE(PlanAndOutput::parse(twice.size(), twice.data()));
}

}  // namespace
}  // namespace espalier::measure
