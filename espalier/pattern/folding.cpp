// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/folding.hpp"

#include <functional>
#include <numeric>

namespace espalier::pattern {

std::vector<int> group_sizes(int num_ranks, int k) {
  std::vector<int> sizes;
  int left = num_ranks;
  for (; left >= k; left /= k) {
    sizes.push_back(k);
  }
  if (left > 1) {
    sizes.push_back(left);
  }
  return sizes;
}

Folding folded_onto_groups(int num_ranks, std::span<int const> sizes) {
  return {num_ranks, std::reduce(sizes.begin(), sizes.end(), 1, std::multiplies<>())};
}

std::vector<int> group_of(int place, int distance, int size) {
  int const first = place - place / distance % size * distance;
  std::vector<int> members;
  for (int i = 0; i < size; ++i) {
    members.push_back(first + i * distance);
  }
  return members;
}

}  // namespace espalier::pattern
