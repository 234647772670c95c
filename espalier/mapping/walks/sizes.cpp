// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/walks/sizes.hpp"

#include <algorithm>

namespace espalier::mapping {
namespace {

bool are_equal(std::vector<int> const& sizes) {
  return std::ranges::all_of(sizes, [&](int size) { return size == sizes.front(); });
}

/// The outermost level with several groups; the last if there is none.
int splitting_level(Places const& places) {
  int level = 0;
  while (level + 1 < places.num_levels() && places.sizes(level).size() == 1) {
    ++level;
  }
  return level;
}

}  // namespace

std::vector<int> even_sizes(Places const& places) {
  std::vector<int> result;
  int outer = places.num_ranks();
  for (int level = 0; level < places.num_levels() && are_equal(places.sizes(level)); ++level) {
    int const size = places.sizes(level).front();
    if (size < outer) {
      result.push_back(size);
    }
    outer = size;
  }
  return result;
}

std::string refuses_uneven(Problem const& problem) {
  int const level = splitting_level(problem.places);
  auto const [least, most] = std::ranges::minmax(problem.places.sizes(level));
  return least == most
             ? std::string()
             : "expected groups of equal size of level " + problem.places.groups(level).name +
                   ", got " + std::to_string(least) + " and " + std::to_string(most) + " ranks";
}

double mean_size(Places const& places) {
  auto const num_groups = static_cast<double>(places.sizes(splitting_level(places)).size());
  return places.num_ranks() / num_groups;
}

}  // namespace espalier::mapping
