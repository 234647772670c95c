// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/composed/tried_phases.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"

namespace espalier::algorithms {
namespace {

using Texts = std::vector<std::string>;

TEST(TriedPhases, ComeByTurnAndThenAsInTheCatalog) {
  EXPECT_EQ(
      tried_phases(Collective::bcast, Tried::in_groups, 16),
      (Texts{"binomial", "flat", "k_nomial[k=4]", "postal[latency=8]", "chain", "scatter_allgather"}
      )
  );
  EXPECT_EQ(tried_phases(Collective::bcast, Tried::between_rows, 16), (Texts{"chain"}));
}

TEST(TriedPhases, EndAtTheMostRanks) {
  EXPECT_EQ(
      tried_phases(Collective::allgather, Tried::in_pieces, 33),
      (Texts{"bruck", "sparbit[batch=0]", "recursive_doubling"})
  );
  EXPECT_EQ(
      tried_phases(Collective::allgather, Tried::in_pieces, 34),
      (Texts{"bruck", "recursive_doubling"})
  );
}

TEST(TriedPhases, AreChoices) {
  for (Algorithm const* algorithm : catalog()) {
    for (PhaseVariant const& variant : algorithm->phase_variants) {
      std::string const text = std::string(algorithm->name).append(variant.arguments);
      EXPECT_EQ(&Choice::parse(algorithm->collective, text).algorithm(), algorithm) << text;
    }
  }
}

TEST(TriedPhases, AreThereForAllPhasesOfAlgorithmsWithRows) {
  for (Algorithm const* algorithm : catalog()) {
    bool const has_rows = std::ranges::any_of(algorithm->parameters, [](Parameter const& one) {
      return one.name == "rows";
    });
    for (Parameter const& phase : algorithm->parameters) {
      if (has_rows && phase.type == Parameter::Type::algorithm) {
        Collective const collective =
            phase.collective.empty() ? algorithm->collective : parse_collective(phase.collective);
        EXPECT_FALSE(tried_phases(collective, Tried::in_groups, 8).empty())
            << algorithm->name << " " << phase.name;
      }
    }
  }
}

}  // namespace
}  // namespace espalier::algorithms
