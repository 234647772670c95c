// SPDX-License-Identifier: Apache-2.0

/// @file
/// Everything in the catalog is proved: all variants, all classes of roots, awkward numbers of
/// ranks. The build says up to how many ranks (ESPALIER_MOST_RANKS: 64 with sanitizers, 128 in
/// Debug, else 1024); with ESPALIER_FEW_RANKS (sanitizers) there are fewer below as well.

#include <algorithm>
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

std::vector<int> numbers_of_ranks() {
#ifdef ESPALIER_FEW_RANKS
  return {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 31, 33, 64};
#else
  std::vector<int> result;
  for (int p = 1; p <= 33; ++p) {
    result.push_back(p);
  }
  result.insert(result.end(), {36, 37, 48, 61, 64, 100, 127, 128, 1000, 1024});
  std::erase_if(result, [](int p) { return p > ESPALIER_MOST_RANKS; });
  return result;
#endif
}

std::set<int> roots(Collective collective, int p) {
  if (collective == Collective::allgather) {
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

struct Case {
  Algorithm const* algorithm;
  int num_ranks;
};

void PrintTo(Case const& tested, std::ostream* out) {
  *out << tested.algorithm->name << " on " << tested.num_ranks << " ranks";
}

std::vector<Choice> choices(Case const& tested) {
  std::vector<Choice> result;
  for (Choice const& choice : variants(tested.algorithm->collective, tested.num_ranks)) {
    if (&choice.algorithm() == tested.algorithm) {
      result.push_back(choice);
    }
  }
  if (tested.num_ranks >= large && result.size() > 1) {
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

std::vector<Case> cases() {
  std::vector<Case> result;
  for (Algorithm const* algorithm : algorithms::catalog()) {
    for (int const p : numbers_of_ranks()) {
      if (Case const tested{.algorithm = algorithm, .num_ranks = p}; !choices(tested).empty()) {
        result.push_back(tested);
      }
    }
  }
  return result;
}

void expect_proved(Choice const& choice, int num_ranks) {
  for (int const root : roots(choice.collective(), num_ranks)) {
    verify::Verdict const verdict = verify::prove(choice, num_ranks, root);
    EXPECT_TRUE(verdict.holds()) << choice.text() << " on " << num_ranks << " ranks, root " << root
                                 << ": " << to_string(*verdict.violation);
  }
}

std::string name_of(testing::TestParamInfo<Case> const& tested) {
  return std::string(to_string(tested.param.algorithm->collective)) + "_" +
         std::string(tested.param.algorithm->name) + "_p" + std::to_string(tested.param.num_ranks);
}

class ProverCatalog : public testing::TestWithParam<Case> {};

TEST_P(ProverCatalog, IsProved) {
  for (Choice const& choice : choices(GetParam())) {
    expect_proved(choice, GetParam().num_ranks);
    for (Choice const& in_segments : segmented(choice, GetParam().num_ranks)) {
      expect_proved(in_segments, GetParam().num_ranks);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, ProverCatalog, testing::ValuesIn(cases()), name_of);

/// Without this an algorithm whose variants are all refused would be proved for no size at all.
TEST(ProverCatalogCoverage, EveryAlgorithmIsProvedForSeveralSizes) {
  std::vector<Case> const all = cases();
  for (Algorithm const* algorithm : algorithms::catalog()) {
    EXPECT_GE(std::ranges::count(all, algorithm, &Case::algorithm), 5) << algorithm->name;
  }
}

}  // namespace
}  // namespace espalier
