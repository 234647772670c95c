// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/dims/stencil.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::mapping {
namespace {

std::string refusal(std::string const& text, int num_dimensions) {
  try {
    static_cast<void>(Stencil::parse(text, num_dimensions));
  } catch (Error const& error) {
    return error.what();
  }
  return {};
}

TEST(Stencil, NamesTheUsualOnes) {
  EXPECT_EQ(Stencil::parse("nearest", 2), Stencil::nearest(2));
  EXPECT_EQ(Stencil::parse("5pt", 2), Stencil::nearest(2));
  EXPECT_EQ(Stencil::parse("7pt", 3), Stencil::nearest(3));
  EXPECT_EQ(Stencil::parse("9pt", 2), Stencil::full(2));
  EXPECT_EQ(Stencil::parse("full", 3), Stencil::parse("27pt", 3));
  EXPECT_EQ(Stencil::full(3).neighbors().size(), 26U);
  EXPECT_EQ(Stencil::full(1), Stencil::nearest(1));
}

TEST(Stencil, ListsNearestNeighborsAsMpiDoes) {
  std::vector<Stencil::Neighbor> const expected{
      {.offset = {-1, 0}, .weight = 2},
      {.offset = {1, 0}, .weight = 2},
      {.offset = {0, -1}, .weight = 0.5},
      {.offset = {0, 1}, .weight = 0.5},
  };
  EXPECT_EQ(Stencil::nearest(2, std::vector{2.0, 0.5}).neighbors(), expected);
}

TEST(Stencil, ReadsOffsetsWithAndWithoutWeights) {
  Stencil const stencil = Stencil::parse("  (1,0):2.5\t(-3,0)\n(0,-1):0.25 ", 2);
  std::vector<Stencil::Neighbor> const expected{
      {.offset = {1, 0}, .weight = 2.5},
      {.offset = {-3, 0}, .weight = 1},
      {.offset = {0, -1}, .weight = 0.25},
  };
  EXPECT_EQ(stencil.neighbors(), expected);
}

TEST(Stencil, WritesTheShortestName) {
  EXPECT_EQ(Stencil::nearest(2).to_text(), "5pt");
  EXPECT_EQ(Stencil::nearest(3).to_text(), "7pt");
  EXPECT_EQ(Stencil::nearest(4).to_text(), "nearest");
  EXPECT_EQ(Stencil::full(2).to_text(), "9pt");
  EXPECT_EQ(Stencil::full(3).to_text(), "27pt");
  EXPECT_EQ(Stencil::full(4).to_text(), "full");
  EXPECT_EQ(Stencil(12, {{.offset = std::vector<int>(12, 1)}}).num_dimensions(), 12);
}

TEST(Stencil, IsReadBack) {
  for (Stencil const& stencil :
       {Stencil::nearest(1),
        Stencil::nearest(2, std::vector{0.1, 1e-7}),
        Stencil::full(4),
        Stencil::parse("(2,0,-1):3 (0,0,1)", 3),
        Stencil::nearest(12)}) {
    EXPECT_EQ(Stencil::parse(stencil.to_text(), stencil.num_dimensions()), stencil)
        << stencil.to_text();
  }
}

TEST(Stencil, RefusesWhatIsNoStencil) {
  EXPECT_EQ(
      refusal("7pt", 2),
      "expected 5pt, 9pt, nearest, full, or offsets of 2 dimensions with or without weights as in "
      "(1,0):2.5, got '7pt'"
  );
  for (std::string const text :
       {"",
        " ",
        "1,0",
        "(1,0",
        "(1,0)x",
        "(1,,0)",
        "(1,0):",
        "(1,0):-1",
        "(1,0):nan",
        "(,)",
        "()",
        "(1 ,0)",
        "(99999999999,0)"}) {
    EXPECT_NE(refusal(text, 2), "") << text;
  }
  EXPECT_EQ(refusal("(1,0,0)", 2), "expected offsets of 2 dimensions, got (1,0,0)");
  EXPECT_EQ(refusal("(0,0)", 2), "expected offsets to other processes, got (0,0); leave it out");
  EXPECT_EQ(
      refusal("(1,0) (1,0):2", 2),
      "expected every offset once, got (1,0) twice; add their weights up"
  );
  EXPECT_NE(refusal("(1,0):0", 2), "");
  EXPECT_NE(refusal("full", 11), "");
  EXPECT_THROW(Stencil(0, {}), Error);
  EXPECT_THROW(static_cast<void>(Stencil::nearest(2, std::vector{1.0})), Error);
}

/// Somebody who sends nothing is a stencil too.
TEST(Stencil, MayBeEmpty) {
  EXPECT_TRUE(Stencil(2, {}).neighbors().empty());
  EXPECT_EQ(Stencil(2, {}).to_text(), "");
}

}  // namespace
}  // namespace espalier::mapping
