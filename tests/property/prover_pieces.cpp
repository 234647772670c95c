// SPDX-License-Identifier: Apache-2.0

/// @file
/// Algorithms with a parameter `pieces` are proved with any number of pieces, few and many: phases
/// that are not complete, halves that are not equal.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/verify/verify.hpp"

namespace espalier {
namespace {

using algorithms::Algorithm;
using algorithms::Choice;

struct Case {
  Algorithm const* algorithm;
  int minimum;
};

void PrintTo(Case const& tested, std::ostream* out) {
  *out << tested.algorithm->name;
}

std::vector<Case> cases() {
  std::vector<Case> result;
  for (Algorithm const* algorithm : algorithms::catalog()) {
    auto const& parameters = algorithm->parameters;
    auto const found = std::ranges::find(parameters, "pieces", &algorithms::Parameter::name);
    if (found != parameters.end()) {
      result.push_back({.algorithm = algorithm, .minimum = found->minimum});
    }
  }
  return result;
}

class ProverPieces : public testing::TestWithParam<Case> {};

TEST_P(ProverPieces, IsProvedWithAnyNumberOfPieces) {
  for (int pieces = GetParam().minimum; pieces <= 20; ++pieces) {
    auto const text =
        std::string(GetParam().algorithm->name) + "[pieces=" + std::to_string(pieces) + "]";
    Choice const choice = Choice::parse(GetParam().algorithm->collective, text);
    for (int p = 1; p <= 40; ++p) {
      verify::Verdict const verdict = verify::prove(choice, p, 0);
      ASSERT_TRUE(verdict.holds())
          << choice.text() << " on " << p << " ranks: " << to_string(*verdict.violation);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    ,
    ProverPieces,
    testing::ValuesIn(cases()),
    [](testing::TestParamInfo<Case> const& tested) {
      return std::string(to_string(tested.param.algorithm->collective)) + "_" +
             std::string(tested.param.algorithm->name);
    }
);

}  // namespace
}  // namespace espalier
