// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/mapping/orders/tree_filling.hpp"
#include "espalier/mapping/orders/tree_orders.hpp"

namespace espalier::mapping {
namespace {

/// Times that differ by less are the same: what is left is the order of additions.
constexpr double least_gain = 1e-9;

/// The groups numbered from 0 as they first occur.
std::vector<int> numbered(std::span<int const> group_of_rank) {
  std::map<int, int> number_of;
  std::vector<int> groups;
  for (int const group : group_of_rank) {
    int const next = static_cast<int>(number_of.size());
    groups.push_back(number_of.emplace(group, next).first->second);
  }
  return groups;
}

/// The orders to choose from, the preferred ones first.
std::vector<RankVector>
candidates(RttMatrix const& matrix, std::span<int const> groups, double channels, int root) {
  int const preferred = crossing_step(matrix.num_ranks(), channels);
  std::vector<int> steps{preferred};
  for (int step = 1; step <= ceil_log2(matrix.num_ranks()); ++step) {
    if (step != preferred) {
      steps.push_back(step);
    }
  }
  std::vector<RankVector> orders;
  for (int const step : steps) {
    for (Counting const counting : {Counting::unclaimed, Counting::left}) {
      orders.push_back(TreeFilling(matrix, groups, step, counting).run(root));
    }
  }
  orders.push_back(fastest_edge_first(matrix, root));
  orders.push_back(standard_order(matrix.num_ranks(), root));
  return orders;
}

}  // namespace

RankVector channel_aware(
    RttMatrix const& matrix, std::span<int const> group_of_rank, Channels const& channels, int root
) {
  int const p = matrix.num_ranks();
  check_root(p, root);
  if (group_of_rank.size() != static_cast<std::size_t>(p)) {
    throw Error(
        ErrorCode::argument,
        "expected the group of each of " + std::to_string(p) + " ranks, got " +
            std::to_string(group_of_rank.size())
    );
  }
  std::vector<int> const groups = numbered(group_of_rank);
  RankVector best;
  double least = 0;
  for (RankVector& ranks : candidates(matrix, groups, channels.across, root)) {
    double const time = completion_time(matrix, ranks, groups, channels, Payload::subtree);
    if (best.empty() || time < least * (1 - least_gain)) {
      best = std::move(ranks);
      least = time;
    }
  }
  return best;
}

}  // namespace espalier::mapping
