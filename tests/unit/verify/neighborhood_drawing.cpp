// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/neighborhood_drawing.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "tests/support/neighborhoods.hpp"

namespace espalier::verify {
namespace {

using neighborhood::Neighborhood;

TEST(NeighborhoodDrawing, SeparatesRanksOfSeveralDigits) {
  Neighborhood const all = Neighborhood::of_cartesian(test::grid_of({11}, 1));
  EXPECT_EQ(
      draw_sent(
          neighborhood::find("neighbor_alltoall/direct"),
          {.neighborhood = all},
          std::vector<int>{10}
      ),
      "sent, p = 11     rank 10\n"
      "round 0          9:10>9 0:10>0\n"
  );
}

TEST(NeighborhoodDrawing, SaysWhereNothingIsSent) {
  Neighborhood const all = Neighborhood::of_lists({{}, {}, {1}}, {{}, {2}, {}});
  EXPECT_EQ(
      draw_sent(neighborhood::find("neighbor_alltoall/direct"), {.neighborhood = all}),
      "sent, p = 3     rank 0   rank 1   rank 2\n"
      "round 0         -        2:12     -\n"
  );
}

TEST(NeighborhoodDrawing, RefusesWhatIsNotThere) {
  Neighborhood const all = Neighborhood::of_cartesian(test::grid_of({3}, 1));
  neighborhood::Algorithm const& direct = neighborhood::find("neighbor_alltoall/direct");
  EXPECT_THROW(
      static_cast<void>(draw_sent(direct, {.neighborhood = all}, std::vector<int>{3})), Error
  );
  EXPECT_THROW(
      static_cast<void>(
          draw_sent(neighborhood::find("neighbor_alltoall/node_aware"), {.neighborhood = all})
      ),
      Error
  );
}

}  // namespace
}  // namespace espalier::verify
