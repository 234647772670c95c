// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/choices/arguments.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::algorithms {
namespace {

std::string error_of(std::string_view text) {
  try {
    static_cast<void>(Arguments::parse(text));
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::argument);
    return error.what();
  }
  return "accepted";
}

TEST(Arguments, OfAnEmptyTextAreNone) {
  Arguments const arguments = Arguments::parse("");
  EXPECT_TRUE(arguments.entries().empty());
  EXPECT_EQ(arguments.to_text(), "");
  EXPECT_FALSE(arguments.has("k"));
  EXPECT_EQ(arguments.integer("k", 7), 7);
  EXPECT_EQ(arguments.text("inner", "ring"), "ring");
  EXPECT_TRUE(arguments.integers("rows").empty());
}

TEST(Arguments, AreTheSameAfterWritingAndParsing) {
  for (std::string const text :
       {"[k=4]",
        "[k=4,segments=8]",
        "[rows=4x2]",
        "[inner=sparbit[batch=2],rows=3]",
        "[a=b[c=d[e=f],g=h],i=j]",
        "[k=-1]"}) {
    Arguments const arguments = Arguments::parse(text);
    EXPECT_EQ(arguments.to_text(), text);
    EXPECT_EQ(Arguments::parse(arguments.to_text()), arguments);
  }
}

TEST(Arguments, GiveValuesByKey) {
  Arguments const arguments = Arguments::parse("[rows=4x2x10,inner=sparbit[batch=2,x=y],k=-3]");
  EXPECT_EQ(arguments.entries().size(), 3U);
  EXPECT_TRUE(arguments.has("rows"));
  EXPECT_FALSE(arguments.has("batch"));
  EXPECT_EQ(arguments.integers("rows"), (std::vector{4, 2, 10}));
  EXPECT_EQ(arguments.text("inner", "ring"), "sparbit[batch=2,x=y]");
  EXPECT_EQ(arguments.integer("k", 1), -3);
  EXPECT_EQ(arguments.integers("k"), std::vector{-3});
}

TEST(Arguments, CanBeSetAndLeftOut) {
  Arguments arguments = Arguments::parse("[k=4,segments=8]");
  arguments.set("k", "5");
  arguments.set("rows", "2");
  EXPECT_EQ(arguments.to_text(), "[k=5,segments=8,rows=2]");
  EXPECT_EQ(arguments.without("segments").to_text(), "[k=5,rows=2]");
  EXPECT_EQ(arguments.without("other"), arguments);
}

TEST(Arguments, ThatCannotBeReadSayWhatIsWrong) {
  std::vector<std::pair<std::string, std::string>> const cases{
      {"k=4", "no closing bracket"},
      {"[k=4", "no closing bracket"},
      {"[k=4]x", "no closing bracket"},
      {"[", "no closing bracket"},
      {"[]", "'' is not key=value"},
      {"[k=4,]", "'' is not key=value"},
      {"[,k=4]", "'' is not key=value"},
      {"[k]", "'k' is not key=value"},
      {"[k=]", "'k=' is not key=value"},
      {"[=4]", "'=4' is not key=value"},
      {"[k=4,k=5]", "'k' is given twice"},
      {"[inner=a[b]", "unbalanced brackets"},
      {"[inner=a]]", "unbalanced brackets"},
  };
  for (auto const& [text, reason] : cases) {
    std::string const error = error_of(text);
    EXPECT_NE(error.find(reason), std::string::npos) << text << ": " << error;
    EXPECT_NE(error.find("'" + text + "'"), std::string::npos) << text << ": " << error;
  }
}

TEST(Arguments, ThatAreNoIntegersAreNamed) {
  for (std::string const value : {"x", "4x", "1.5", "99999999999", "0x10", "x4", "4xx2"}) {
    Arguments const arguments = Arguments::parse("[k=" + value + "]");
    EXPECT_THROW(static_cast<void>(arguments.integer("k", 1)), Error) << value;
  }
  for (std::string const value : {"x", "4x", "x4", "4xx2", "4x2.5"}) {
    Arguments const arguments = Arguments::parse("[rows=" + value + "]");
    EXPECT_THROW(static_cast<void>(arguments.integers("rows")), Error) << value;
  }
  try {
    static_cast<void>(Arguments::parse("[k=many]").integer("k", 1));
    FAIL();
  } catch (Error const& error) {
    EXPECT_STREQ(error.what(), "k must be an integer below 2^31, got 'many'");
  }
}

}  // namespace
}  // namespace espalier::algorithms
