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
      auto const p = static_cast<int>(1 + test::below(compositions.random(), 16));
      Choice const choice = compositions.choice(collective, p);
      for (int const num_ranks : {p, 1, 2, 3, 16}) {
        SCOPED_TRACE(choice.text() + " p " + std::to_string(num_ranks));
        num_refused += choice.refuses(num_ranks, num_ranks - 1).empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(num_refused, 0);
}

void expect_proved(Choice const& choice, int num_ranks, int root) {
  verify::Verdict const verdict = verify::prove(choice, num_ranks, root);
  EXPECT_TRUE(verdict.holds()) << choice.text() << " p " << num_ranks << " root " << root << ": "
                               << to_string(*verdict.violation);
}

TEST(Compositions, AreProved) {
  RandomComposition compositions(2);
  int num_proved = 0;
  for (int i = 0; i < 200; ++i) {
    for (auto const collective : schedule::all_collectives()) {
      auto const p = static_cast<int>(1 + test::below(compositions.random(), 26));
      Choice const choice = compositions.choice(collective, p);
      int const root = schedule::has_root(collective) ? p / 2 : 0;
      if (choice.refuses(p, root).empty()) {
        expect_proved(choice, p, root);
        ++num_proved;
      }
    }
  }
  EXPECT_GT(num_proved, 500);
}

/// Who sends most is not always the first of a row, or the root.
TEST(Compositions, PromiseWhatIsCounted) {
  expect_proved(Choice::parse("allgather/locality_bruck[inner=bine]"), 5, 0);
  expect_proved(Choice::parse("allgather/orthogonal[sizes=19x41,inner=k_ring,across=flat]"), 60, 0);
  expect_proved(
      Choice::parse("allgather/orthogonal[rows=4,inner=hierarchical[down=multi_lane]]"), 32, 0
  );
  for (int root = 0; root < 25; ++root) {
    expect_proved(Choice::parse("bcast/orthogonal[inner=two_tree[pieces=7]]"), 25, root);
  }
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
        expect_proved(choice, p, 0);
      }
    }
  }
}

/// Only then broadcasts have to look for it.
TEST(Compositions, UseScratchInAllgathersOnlyInPhasesOfPhases) {
  for (int p = 1; p <= 33; ++p) {
    for (Choice const& choice : algorithms::variants(schedule::Collective::allgather, p)) {
      EXPECT_EQ(choice.facts(p, 0).scratch, 0) << choice.text() << " " << p;
    }
  }
}

TEST(Compositions, DoNotSignalByWayOfScratch) {
  Choice const choice = Choice::parse("barrier/hierarchical[rows=1,down=multi_lane]");
  EXPECT_EQ(choice.refuses(8, 0), "down=multi_lane uses scratch");
}

}  // namespace
}  // namespace espalier
