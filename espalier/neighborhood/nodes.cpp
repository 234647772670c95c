// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/nodes.hpp"

#include <algorithm>
#include <unordered_map>

namespace espalier::neighborhood {

Nodes::Nodes(std::span<int const> node_of_rank) {
  std::unordered_map<int, int> numbers;
  int rank = 0;
  for (int const name : node_of_rank) {
    auto const [number, is_new] = numbers.try_emplace(name, num_nodes());
    if (is_new) {
      ranks_.emplace_back();
    }
    node_of_rank_.push_back(number->second);
    ranks_[static_cast<std::size_t>(number->second)].push_back(rank++);
  }
}

int Nodes::most_ranks() const noexcept {
  std::size_t most = 0;
  for (auto const& ranks : ranks_) {
    most = std::max(most, ranks.size());
  }
  return static_cast<int>(most);
}

}  // namespace espalier::neighborhood
