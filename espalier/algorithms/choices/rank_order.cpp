// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/choices/rank_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::algorithms {

RankOrder::RankOrder(std::vector<int> rank_of)
    : rank_of_(std::move(rank_of)), position_of_(rank_of_.size(), -1) {
  if (rank_of_.empty()) {
    throw Error(ErrorCode::argument, "expected an order of at least one rank, got none");
  }
  for (std::size_t position = 0; position < rank_of_.size(); ++position) {
    int const rank = rank_of_[position];
    bool const is_new = rank >= 0 && rank < num_ranks() && position_of(rank) < 0;
    if (!is_new) {
      throw Error(
          ErrorCode::argument,
          "expected each of ranks 0 .. " + std::to_string(num_ranks() - 1) +
              " once in an order, got " + std::to_string(rank) + " at position " +
              std::to_string(position)
      );
    }
    position_of_[static_cast<std::size_t>(rank)] = static_cast<int>(position);
  }
}

RankOrder RankOrder::by_node(std::span<int const> node_of_rank) {
  std::map<int, int> first_rank;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    first_rank.emplace(node_of_rank[rank], static_cast<int>(rank));
  }
  std::vector<int> ranks(node_of_rank.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::ranges::stable_sort(ranks, {}, [&](int rank) {
    return first_rank.at(node_of_rank[static_cast<std::size_t>(rank)]);
  });
  return RankOrder(std::move(ranks));
}

RankOrder RankOrder::by_dealt_node(int num_ranks, std::span<int const> capacities) {
  std::vector<int> const nodes = dealt_nodes(num_ranks, capacities);
  // Nodes get their first ranks in ascending order, so that sorting is counting: every rank of a
  // job asks for this, and models ask for every rank.
  std::vector<std::size_t> next(std::max(capacities.size(), nodes.size()) + 1);
  for (int const node : nodes) {
    ++next[static_cast<std::size_t>(node) + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<int> ranks(nodes.size());
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    ranks[next[static_cast<std::size_t>(nodes[rank])]++] = static_cast<int>(rank);
  }
  return RankOrder(std::move(ranks));
}

std::vector<int> dealt_nodes(int num_ranks, std::span<int const> capacities) {
  std::vector<int> left(capacities.begin(), capacities.end());
  if (left.size() == 1) {
    left.assign(static_cast<std::size_t>(std::min(left.front(), num_ranks)), num_ranks);
  }
  if (std::accumulate(left.begin(), left.end(), std::int64_t{0}) < num_ranks) {
    throw Error(
        ErrorCode::argument,
        "expected nodes that take " + std::to_string(num_ranks) + " ranks, got " +
            std::to_string(std::accumulate(left.begin(), left.end(), std::int64_t{0}))
    );
  }
  std::vector<int> nodes;
  nodes.reserve(static_cast<std::size_t>(num_ranks));
  for (std::size_t turn = 0; std::ssize(nodes) < num_ranks; ++turn) {
    std::size_t const node = turn % left.size();
    if (left[node] > 0) {
      --left[node];
      nodes.push_back(static_cast<int>(node));
    }
  }
  return nodes;
}

}  // namespace espalier::algorithms
