// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>

#include "espalier/algorithms/catalog.hpp"

namespace espalier::algorithms {

/// A collective made of two of the catalog, one after the other, on the same vector. Roots are 0.
struct Sequence {
  Choice first;
  Choice second;

  /// Empty if both work and their pieces fit into each other.
  [[nodiscard]] std::string refuses(int num_ranks) const;
  /// Pieces of the one that has more; each piece of the other is as many of them.
  [[nodiscard]] int num_pieces(int num_ranks) const;
  [[nodiscard]] schedule::RankProgram generate(int num_ranks, int rank) const;
  /// The rounds of facts().
  [[nodiscard]] int num_rounds(int num_ranks) const;
  /// Rounds, volume and reductions add up. The rest is counted rank by rank, until some ranks reach
  /// the sum of both.
  [[nodiscard]] Facts facts(int num_ranks) const;
};

/// The algorithm given for a parameter that names the collective it is for.
[[nodiscard]] Choice choice_for(Request const& request, Parameter const& parameter);

}  // namespace espalier::algorithms
