// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/folding.hpp"

#include <gtest/gtest.h>

namespace espalier::pattern {
namespace {

TEST(Folding, GivesEveryPlaceOneRankInOrder) {
  for (int p = 1; p <= 40; ++p) {
    for (int num_places = (p + 1) / 2; num_places <= p; ++num_places) {
      Folding const folding(p, num_places);
      int num_aside = 0;
      int next_place = 0;
      for (int rank = 0; rank < p; ++rank) {
        if (folding.is_aside(rank)) {
          ++num_aside;
          EXPECT_EQ(folding.place_of(rank), folding.place_of(rank - 1));
          EXPECT_TRUE(folding.is_pair(folding.place_of(rank)));
        } else {
          EXPECT_EQ(folding.place_of(rank), next_place);
          EXPECT_EQ(folding.rank_of(next_place), rank);
          ++next_place;
        }
      }
      EXPECT_EQ(next_place, num_places);
      EXPECT_EQ(num_aside, folding.num_pairs());
    }
  }
}

}  // namespace
}  // namespace espalier::pattern
