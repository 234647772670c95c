// SPDX-License-Identifier: Apache-2.0

/// @file
/// Everything in the catalog is proved: all variants, all classes of roots, awkward numbers of
/// ranks. The build says up to how many ranks (ESPALIER_MOST_RANKS: 128 in Debug, else 1024).

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/verify/verify.hpp"

namespace espalier {
namespace {

using algorithms::Algorithm;
using algorithms::Choice;
using algorithms::Collective;

/// From here on only the first variant, and no segments.
constexpr int large = 1000;
/// Up to here also in another rank order.
constexpr int most_reordered = 33;

std::vector<int> few_ranks() {
  std::vector<int> result(33);
  std::iota(result.begin(), result.end(), 1);
  return result;
}

std::vector<int> more_ranks() {
  std::vector<int> result{36, 37, 48, 61, 64, 100, 127, 128, 1000, 1024};
  std::erase_if(result, [](int p) { return p > ESPALIER_MOST_RANKS; });
  return result;
}

std::set<int> roots(Collective collective, int p) {
  if (!schedule::has_root(collective)) {
    return {0};
  }
  if (p > 9) {
    return {0, 1, p / 2, p - 1};
  }
  std::set<int> all;
  for (int root = 0; root < p; ++root) {
    all.insert(root);
  }
  return all;
}

std::vector<Choice> choices(Algorithm const& algorithm, int num_ranks) {
  std::vector<Choice> result;
  for (Choice const& choice : algorithms::variants(algorithm.collective, num_ranks)) {
    if (&choice.algorithm() == &algorithm) {
      result.push_back(choice);
    }
  }
  if (num_ranks >= large && result.size() > 1) {
    result.erase(result.begin() + 1, result.end());
  }
  return result;
}

/// The choice with more segments than may be under way at a time.
std::vector<Choice> segmented(Choice const& choice, int num_ranks) {
  if (num_ranks >= large || choice.segment_period(num_ranks) == 0) {
    return {};
  }
  algorithms::Arguments arguments = choice.arguments();
  arguments.set("segments", "18");
  return {
      Choice::parse(choice.collective(), std::string(choice.algorithm().name) + arguments.to_text())
  };
}

void expect_proved(Choice const& choice, int num_ranks) {
  for (int const root : roots(choice.collective(), num_ranks)) {
    verify::Verdict const verdict = verify::prove(choice, num_ranks, root);
    EXPECT_TRUE(verdict.holds()) << choice.text() << " on " << num_ranks << " ranks, root " << root
                                 << ": " << to_string(*verdict.violation);
  }
}

/// Ranks dealt to three nodes in turn, seen node by node. Scans are about rank order.
void expect_proved_in_another_order(Choice const& choice, int num_ranks) {
  Collective const collective = choice.collective();
  if (collective == Collective::scan || collective == Collective::exscan) {
    return;
  }
  std::vector<int> nodes;
  for (int rank = 0; rank < num_ranks; ++rank) {
    nodes.push_back(rank % 3);
  }
  auto const order = algorithms::RankOrder::by_node(nodes);
  int const root = schedule::has_root(collective) ? num_ranks / 2 : 0;
  if (choice.refuses(num_ranks, order.position_of(root)).empty()) {
    verify::Verdict const verdict = verify::prove(choice, order, root);
    EXPECT_TRUE(verdict.holds()) << choice.text() << " on " << num_ranks
                                 << " ranks by node: " << to_string(*verdict.violation);
  }
}

/// Proves all choices for these numbers of ranks; returns for how many of them there are any.
int prove_all(Algorithm const& algorithm, std::vector<int> const& numbers_of_ranks) {
  int num_proved = 0;
  for (int const p : numbers_of_ranks) {
    std::vector<Choice> const all = choices(algorithm, p);
    for (Choice const& choice : all) {
      expect_proved(choice, p);
      if (p <= most_reordered) {
        expect_proved_in_another_order(choice, p);
      }
      for (Choice const& in_segments : segmented(choice, p)) {
        expect_proved(in_segments, p);
      }
    }
    num_proved += all.empty() ? 0 : 1;
  }
  return num_proved;
}

class ProverCatalog : public testing::TestWithParam<Algorithm const*> {};

/// An algorithm whose variants were all refused would be proved for no size at all.
TEST_P(ProverCatalog, IsProvedForFewRanks) {
  EXPECT_GE(prove_all(*GetParam(), few_ranks()), 4);
}

TEST_P(ProverCatalog, IsProvedForMoreRanks) {
  EXPECT_GE(prove_all(*GetParam(), more_ranks()), 1);
}

std::string name_of(testing::TestParamInfo<Algorithm const*> const& tested) {
  return std::string(to_string(tested.param->collective)) + "_" + std::string(tested.param->name);
}

INSTANTIATE_TEST_SUITE_P(
    ,
    ProverCatalog,
    testing::ValuesIn(algorithms::catalog().begin(), algorithms::catalog().end()),
    name_of
);

}  // namespace
}  // namespace espalier
