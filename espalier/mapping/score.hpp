// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/places.hpp"

namespace espalier::mapping {

/// Messages of one level: their ends lie in different groups of it, but in the same group of the
/// level outside it. Weights of edges, each direction for itself.
struct Cut {
  double total = 0;
  double worst = 0;  ///< what leaves the group that most leaves: the worst node

  friend bool operator==(Cut const&, Cut const&) = default;
};

/// Sums of the same weights in different orders differ by less than this part of them.
inline constexpr double rounding = 1e-9;

/// How good a mapping is; less is better.
struct Score {
  std::vector<Cut> cuts;  ///< of each level of the places
  double total = 0;       ///< sum over levels of cost * total
  double worst = 0;       ///< sum over levels of cost * worst
  /// What mappings are compared by: sum over levels of cost * (total / groups + worst) / 2. In a
  /// halo exchange the worst group decides, on a shared network the mean does too.
  double objective = 0;

  friend bool operator==(Score const&, Score const&) = default;
};

/// @param rank_at the rank at each vertex of the graph: a RankVector.
/// @throws Error argument unless it is a permutation, of as many ranks as there are vertices and
///   places.
[[nodiscard]] Score score(Graph const& graph, Places const& places, std::span<int const> rank_at);

/// True if `score` is less in its objective, and neither its total nor its worst is more than
/// the other's: then nobody can call it worse.
[[nodiscard]] bool is_better(Score const& score, Score const& than);

}  // namespace espalier::mapping
