// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/halo/halo_input.hpp"

#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::measure {
namespace {

std::string complaint_about(std::string const& text) {
  try {
    static_cast<void>(HaloInput::parse(text, "halo.txt"));
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    return error.what();
  }
  return {};
}

TEST(HaloInput, ReadsAllThereIs) {
  HaloInput const input = HaloInput::parse(
      "# a comment\n"
      "factors 1 8 64   # another\n"
      "repetitions 5 50\n"
      "seconds 2.5\n"
      "\n"
      "method 1 grid 1 2\n"
      "method 4 grid 1 2 weights 0.5 1e-3\n"
      "method 5 grid 1 2 dims_ml 2x1x3 1x4x1\n",
      "halo.txt"
  );
  EXPECT_EQ(input.factors, (std::vector<int>{1, 8, 64}));
  EXPECT_EQ(input.min_repetitions, 5);
  EXPECT_EQ(input.max_repetitions, 50);
  EXPECT_EQ(input.seconds, 2.5);
  ASSERT_EQ(input.groups.size(), 1U);
  HaloGroup const& group = input.groups.front();
  EXPECT_EQ(group.grid, (std::vector<int>{1, 2}));
  EXPECT_EQ(group.is_periodic, (std::vector<bool>{true, true}));
  EXPECT_EQ(group.strides, std::vector<HaloStride>(2));
  ASSERT_EQ(group.cases.size(), 3U);
  EXPECT_EQ(group.cases[0].line, 6);
  EXPECT_EQ(group.cases[0].method, HaloMethod::dims_create);
  EXPECT_EQ(group.cases[1].weights, (std::vector<double>{0.5, 1e-3}));
  EXPECT_EQ(group.cases[2].dims_ml, (mapping::MultiLevelDims{{2, 1, 3}, {1, 4, 1}}));
}

TEST(HaloInput, SizesDoubleIfNothingIsSaid) {
  HaloInput const input = HaloInput::parse("method 1 grid 2 2 2", "halo.txt");
  EXPECT_EQ(input.factors, (std::vector<int>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}));
}

TEST(HaloInput, GroupsWhatExchangesTheSameHalos) {
  HaloInput const input = HaloInput::parse(
      "method 1 grid 2 2\n"
      "method 1 grid 2 2 periodic 1 0\n"
      "method 2 grid 2 2\n"
      "method 2 grid 2 2 strided 0/0 2/8\n"
      "method 2 grid 2 2 periodic 1 1\n",
      "halo.txt"
  );
  ASSERT_EQ(input.groups.size(), 3U);
  EXPECT_EQ(input.groups[0].cases.size(), 3U);
  EXPECT_EQ(input.groups[1].is_periodic, (std::vector<bool>{true, false}));
  EXPECT_EQ(input.groups[2].strides[1], (HaloStride{.block = 2, .stride = 8}));
}

TEST(HaloInput, NamesTheLineThatIsWrong) {
  std::string const complaint = complaint_about("method 1 grid 2 2\n\nmethod 7 grid 2 2\n");
  EXPECT_EQ(complaint, "halo.txt:3: expected method to be integers of 1 to 5, got '7'");
}

TEST(HaloInput, RefusesWhatMakesNoSense) {
  auto const expect = [](std::string const& line, std::string const& expected) {
    std::string const complaint = complaint_about(line);
    EXPECT_NE(complaint.find(expected), std::string::npos) << line << "\n  " << complaint;
    EXPECT_EQ(complaint.rfind("halo.txt", 0), 0U) << complaint;
  };
  expect("", "at least one line");
  expect("grid 2 2", "expected method, factors, repetitions or seconds, got 'grid'");
  expect("method 1", "grid in this line");
  expect("method grid 2", "values behind method");
  expect("method 1 2 grid 2", "one method");
  expect("method 1 grid 0", "integers of 1 to");
  expect("method 1 grid 2x", "got '2x'");
  expect("method 1 grid 1 1 1 1 1 1 1", "1 to 6 dimensions");
  expect("method 1 grid 2 2 periodic 1", "2 values, one for each dimension");
  expect("method 1 grid 2 periodic 2", "0 to 1");
  expect("method 1 grid 2 grid 3", "grid once");
  expect("method 1 grid 2 size 3", "got 'size'");
  expect("method 1 grid 2 strided 4/2", "stride at least block");
  expect("method 1 grid 2 strided 0/2", "stride at least block");
  expect("method 1 grid 2 strided 4", "stride at least block");
  expect("method 1 grid 2 weights 1", "no weights with method 1");
  expect("method 4 grid 2", "weights with method 4, got 'none'");
  expect("method 4 grid 2 weights -1", "0 at least");
  expect("method 4 grid 2 weights 1e999", "finite");
  expect("method 4 grid 2 weights nan", "nan");
  expect("method 5 grid 2", "dims_ml with method 5");
  expect("method 5 grid 2 2 dims_ml 2x2 3", "as many levels");
  expect("method 5 grid 2 2 dims_ml 2x0 3x1", "integers of 1 to");
  expect("factors 2 1\nmethod 1 grid 2", "factors that rise");
  expect("repetitions 5 4\nmethod 1 grid 2", "the least and the most");
  expect("seconds 1 2\nmethod 1 grid 2", "one number of seconds");
  expect("seconds 1 repetitions 1 2\nmethod 1 grid 2", "values behind");
}

}  // namespace
}  // namespace espalier::measure
