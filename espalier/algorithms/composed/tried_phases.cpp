// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/composed/tried_phases.hpp"

#include <algorithm>
#include <utility>

#include "espalier/algorithms/catalog.hpp"

namespace espalier::algorithms {

std::vector<std::string> tried_phases(Collective collective, Tried tried, int num_ranks) {
  std::vector<std::pair<int, std::string>> found;
  for (Algorithm const* algorithm : catalog()) {
    for (PhaseVariant const& variant : algorithm->phase_variants) {
      if (algorithm->collective == collective && variant.tried == tried &&
          num_ranks <= variant.most_ranks) {
        found.emplace_back(variant.turn, std::string(algorithm->name).append(variant.arguments));
      }
    }
  }
  std::ranges::stable_sort(found, {}, &std::pair<int, std::string>::first);
  std::vector<std::string> result;
  for (auto& [turn, text] : found) {
    result.push_back(std::move(text));
  }
  return result;
}

}  // namespace espalier::algorithms
