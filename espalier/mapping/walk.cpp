// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/walk.hpp"

#include <algorithm>
#include <cstddef>

#include "espalier/base/error.hpp"
#include "espalier/base/names.hpp"

namespace espalier::mapping {

void check(Problem const& problem) {
  if (problem.grid.num_positions() != problem.places.num_ranks()) {
    throw Error(
        ErrorCode::argument,
        "expected as many ranks as the grid has positions, " +
            std::to_string(problem.grid.num_positions()) + ", got " +
            std::to_string(problem.places.num_ranks())
    );
  }
  if (problem.grid.num_dimensions() != problem.stencil.num_dimensions()) {
    throw Error(
        ErrorCode::argument,
        "expected a stencil of " + std::to_string(problem.grid.num_dimensions()) +
            " dimensions, as the grid, got " + std::to_string(problem.stencil.num_dimensions())
    );
  }
}

WalkAlgorithm const& find_walk_algorithm(std::string_view name) {
  auto const walks = walk_algorithms();
  if (auto const found = find_named(walks, name, &WalkAlgorithm::name)) {
    return **found;
  }
  throw Error(
      ErrorCode::argument,
      "expected a walk (" + list_names(walks, &WalkAlgorithm::name) + "), got '" +
          std::string(name) + "'"
  );
}

RankVector lay(Walk const& walk, Places const& places) {
  std::vector<int> const& ranks = places.hardware_order();
  if (std::string const complaint = refuses(walk, places.num_ranks()); !complaint.empty()) {
    throw Error(ErrorCode::argument, "a walk visits each position once: " + complaint);
  }
  RankVector rank_at(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    rank_at[static_cast<std::size_t>(walk[i])] = ranks[i];
  }
  return rank_at;
}

}  // namespace espalier::mapping
