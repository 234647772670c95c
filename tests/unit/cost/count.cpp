// SPDX-License-Identifier: Apache-2.0

/// @file
/// The closed forms of all algorithms are what their programs do.

#include "espalier/cost/forms/count.hpp"

#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/forms/hockney.hpp"

namespace espalier::cost {

void PrintTo(Work const& work, std::ostream* stream) {
  *stream << work.rounds << " rounds, volume " << work.volume << ", reductions " << work.reductions;
}

namespace {

using algorithms::Algorithm;
using algorithms::Choice;
using algorithms::Facts;

std::set<int> roots(Algorithm const& algorithm, int p) {
  if (!schedule::has_root(algorithm.collective)) {
    return {0};
  }
  return p <= 4 ? std::set<int>{0, p / 2, p - 1} : std::set<int>{0, 2 * p / 3};
}

void expect_counted(Choice const& choice, int p, int root) {
  SCOPED_TRACE(choice.text() + " p = " + std::to_string(p) + ", root " + std::to_string(root));
  Work const counted = count(choice, p, root);
  Facts const facts = choice.facts(p, root);
  EXPECT_EQ(facts.rounds, counted.rounds);
  if (facts.volume) {
    EXPECT_EQ(*facts.volume, counted.volume) << "volume";
  }
  if (facts.reductions) {
    EXPECT_EQ(*facts.reductions, counted.reductions) << "reductions";
  }
}

class ClosedForm : public testing::TestWithParam<Algorithm const*> {
protected:
  /// Of one algorithm; with segments too where it can be cut.
  static std::vector<Choice> choices(Algorithm const& algorithm, int p) {
    std::vector<Choice> result;
    for (Choice const& choice : algorithms::variants(algorithm.collective, p)) {
      if (&choice.algorithm() != &algorithm) {
        continue;
      }
      result.push_back(choice);
      if (p <= 9 && choice.num_segments() == 1 && choice.segment_period(p) > 0) {
        std::string const text = choice.text();
        bool const has_arguments = text.ends_with(']');
        std::string const base = has_arguments ? text.substr(0, text.size() - 1) + "," : text + "[";
        result.push_back(Choice::parse(base + "segments=3]"));
      }
    }
    return result;
  }
};

TEST_P(ClosedForm, IsWhatIsCounted) {
  Algorithm const& algorithm = *GetParam();
  std::vector<int> sizes{48, 64};
  for (int p = 33; p >= 1; --p) {
    sizes.insert(sizes.begin(), p);
  }
  for (int const p : sizes) {
    for (Choice const& choice : choices(algorithm, p)) {
      for (int const root : roots(algorithm, p)) {
        expect_counted(choice, p, root);
      }
    }
    if (HasFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Catalog,
    ClosedForm,
    testing::ValuesIn(algorithms::catalog().begin(), algorithms::catalog().end()),
    [](auto const& entry) {
      return std::string(to_string(entry.param->collective)) + "_" + std::string(entry.param->name);
    }
);

TEST(Count, TakesTheBusiestRankOfEachRound) {
  // Binomial over 5 ranks: the root sends in each round; ring: all do, one block a round.
  EXPECT_EQ(count(Choice::parse("bcast/binomial"), 5, 0), (Work{.rounds = 3, .volume = 3}));
  EXPECT_EQ(count(Choice::parse("allgather/ring"), 5, 0), (Work{.rounds = 4, .volume = 4}));
  EXPECT_EQ(count(Choice::parse("allgather/bruck"), 5, 0), (Work{.rounds = 3, .volume = 4}));
}

TEST(Hockney, WeighsRoundsBytesAndReductions) {
  Work const work{.rounds = 3, .volume = 10, .reductions = 4};
  EXPECT_DOUBLE_EQ(time(work, {.alpha = 2, .beta = 0.5, .gamma = 0.25}, 8), 6 + 40 + 8);
}

TEST(Hockney, HasNoClosedFormWhereTheAlgorithmHasNone) {
  EXPECT_EQ(closed_form({.rounds = 3, .volume = std::nullopt}), std::nullopt);
  EXPECT_EQ(closed_form({.rounds = 3, .volume = 5}), (Work{.rounds = 3, .volume = 5}));
}

}  // namespace
}  // namespace espalier::cost
