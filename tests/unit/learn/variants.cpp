// SPDX-License-Identifier: Apache-2.0

/// @file
/// In which order variants of an algorithm are looked at.

#include "espalier/learn/variants.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::learn {
namespace {

using algorithms::Choice;

Choice hierarchical(std::string const& arguments) {
  return Choice::parse("allreduce/hierarchical[rows=4" + arguments + "]");
}

TEST(Variants, DifferInTheirArguments) {
  Choice const first = hierarchical("");
  EXPECT_EQ(num_differences(first, first), 0);
  EXPECT_EQ(num_differences(first, hierarchical(",down=flat")), 1);
  EXPECT_EQ(num_differences(hierarchical(",down=flat"), first), 1);
  EXPECT_EQ(num_differences(hierarchical(",up=flat,down=flat"), hierarchical(",down=chain")), 2);
  EXPECT_EQ(num_differences(Choice::parse("allreduce/hierarchical[rows=2]"), first), 1);
}

TEST(Variants, WithMostInCommonWithTheBestComeFirst) {
  std::vector<Choice> const choices{
      hierarchical(""),
      hierarchical(",up=flat,down=flat"),
      hierarchical(",down=flat"),
      hierarchical(",up=chain,down=flat"),
      hierarchical(",down=chain"),
  };
  Variants variants(choices[0]);
  for (std::size_t i = 1; i < choices.size(); ++i) {
    variants.add(i, choices[i]);
  }
  EXPECT_EQ(variants.take_next(), 2) << "the first of those that differ in one argument";
  variants.prefer(choices[2]);
  EXPECT_EQ(variants.take_next(), 1);
  EXPECT_EQ(variants.take_next(), 3);
  EXPECT_FALSE(variants.empty());
  EXPECT_EQ(variants.take_next(), 4);
  EXPECT_TRUE(variants.empty());
}

}  // namespace
}  // namespace espalier::learn
