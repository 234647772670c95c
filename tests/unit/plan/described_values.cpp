// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/native_algorithms/described_values.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::plan {
namespace {

using Names = std::vector<std::string>;

TEST(DescribedValues, NamesStandAtBeginningsOfLines) {
  EXPECT_EQ(
      described_values("Variable to select an algorithm\nauto - Internal\nk_tree   - Force k_tree"),
      (Names{"auto", "k_tree"})
  );
}

// As MPICH 4.0.2 says it.
TEST(DescribedValues, KnownNamesAreFoundWhereLinesHaveNoEnds) {
  EXPECT_EQ(
      described_values("Variable to select bcast algorithmauto - Internal algorithm selection (can "
                       "be overridden with X)binomial    - Force Binomial Treenb     - Force "
                       "nonblocking algorithmscatter_ring_allgather  - Force Scatter Ring"),
      (Names{"auto", "binomial", "nb", "scatter_ring_allgather"})
  );
}

TEST(DescribedValues, TheLongestKnownNameCounts) {
  EXPECT_EQ(
      described_values("Select an algorithmpairwise - Force pairwise "
                       "algorithmpairwise_sendrecv_replace - Force it"),
      (Names{"pairwise", "pairwise_sendrecv_replace"})
  );
}

// A name that is left out would shift the numbers of those behind it.
TEST(DescribedValues, NothingIsSaidWhereANameIsUnknown) {
  EXPECT_EQ(described_values("algorithmauto - Internal selectiongossip - Force gossip"), Names{});
}

TEST(DescribedValues, NothingIsSaidOfLongerNamesWithAKnownEnd) {
  EXPECT_EQ(described_values("algorithmauto - Internal algorithmk_brucks - Force it"), Names{});
}

TEST(DescribedValues, NothingIsSaidOfNamesThatComeTwice) {
  EXPECT_EQ(described_values("auto - this\nauto - that"), Names{});
}

TEST(DescribedValues, ADescriptionWithoutNamesHasNone) {
  EXPECT_EQ(described_values("use the short message algorithm - if smaller"), Names{});
}

}  // namespace
}  // namespace espalier::plan
