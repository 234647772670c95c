// SPDX-License-Identifier: Apache-2.0

/// @file
/// Algorithms inside algorithms inside algorithms, which no list of variants names.

#include <string>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/verify/verify.hpp"
#include "tests/property/random_composition.hpp"

namespace espalier {
namespace {

using algorithms::Choice;
using test::RandomComposition;

/// A layout inside a phase may have more rows than the phase has ranks.
TEST(Compositions, SayWhatTheyRefuse) {
  RandomComposition compositions(1);
  int num_refused = 0;
  for (int i = 0; i < 3000; ++i) {
    for (auto const collective : schedule::all_collectives()) {
      int const p = 1 + static_cast<int>(test::below(compositions.random(), 16));
      Choice const choice = compositions.choice(collective, p);
      for (int const num_ranks : {p, 1, 2, 3, 16}) {
        SCOPED_TRACE(choice.text() + " p " + std::to_string(num_ranks));
        num_refused += choice.refuses(num_ranks, num_ranks - 1).empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(num_refused, 0);
}

/// A rank may have to send and receive at the same time.
TEST(Compositions, SignalAlongAnyBroadcast) {
  for (std::string const down : {
           "circulant",
           "circulant[pieces=3]",
           "two_tree",
           "fork",
           "scatter_allgather",
           "scatter_allgather[allgather=bruck]",
           "orthogonal[inner=circulant]",
           "chain[dealt=2]",
       }) {
    for (std::string const rows : {"1", "2", "3"}) {
      Choice const choice =
          Choice::parse("barrier/hierarchical[rows=" + rows + ",down=" + down + "]");
      for (int p = std::stoi(rows); p <= 33; ++p) {
        ASSERT_EQ(choice.refuses(p, 0), "") << choice.text();
        verify::Verdict const verdict = verify::prove(choice, p, 0);
        EXPECT_TRUE(verdict.holds())
            << choice.text() << " p " << p << ": " << to_string(*verdict.violation);
      }
    }
  }
}

TEST(Compositions, DoNotSignalByWayOfScratch) {
  Choice const choice = Choice::parse("barrier/hierarchical[rows=1,down=multi_lane]");
  EXPECT_EQ(choice.refuses(8, 0), "down=multi_lane uses scratch");
}

}  // namespace
}  // namespace espalier
