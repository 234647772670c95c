// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/node_orders.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include "espalier/base/error.hpp"

namespace espalier::mapping {
namespace {

/// The ranks of each node.
std::vector<std::vector<int>> nodes(std::span<int const> node_of_rank) {
  if (node_of_rank.empty()) {
    throw Error(ErrorCode::argument, "expected the node of at least one rank, got none");
  }
  std::map<int, std::size_t> number_of;
  std::vector<std::vector<int>> result;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    auto const [found, is_new] = number_of.emplace(node_of_rank[rank], result.size());
    if (is_new) {
      result.emplace_back();
    }
    result[found->second].push_back(static_cast<int>(rank));
  }
  return result;
}

/// One rank of each node in every turn; in every other turn, if wanted, from the last node to the
/// first.
RankVector deal(std::span<int const> node_of_rank, bool turns_back) {
  std::vector<std::vector<int>> dealers = nodes(node_of_rank);
  RankVector ranks;
  for (std::size_t turn = 0; ranks.size() < node_of_rank.size(); ++turn) {
    for (std::vector<int> const& node : dealers) {
      if (turn < node.size()) {
        ranks.push_back(node[turn]);
      }
    }
    if (turns_back) {
      std::ranges::reverse(dealers);
    }
  }
  return ranks;
}

}  // namespace

RankVector by_node(std::span<int const> node_of_rank) {
  RankVector ranks;
  for (std::vector<int> const& node : nodes(node_of_rank)) {
    ranks.insert(ranks.end(), node.begin(), node.end());
  }
  return ranks;
}

RankVector round_robin(std::span<int const> node_of_rank) {
  return deal(node_of_rank, false);
}

RankVector folded(std::span<int const> node_of_rank) {
  return deal(node_of_rank, true);
}

}  // namespace espalier::mapping
