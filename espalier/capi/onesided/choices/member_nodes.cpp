// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/choices/member_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include "espalier/schedule/program.hpp"

namespace espalier::capi {

std::vector<int> member_nodes(std::span<int const> node_of_rank, std::vector<int> const& members) {
  std::map<int, int> numbers;
  std::vector<int> nodes;
  for (int const member : members) {
    int const node = node_of_rank[static_cast<std::size_t>(member)];
    nodes.push_back(numbers.try_emplace(node, static_cast<int>(numbers.size())).first->second);
  }
  bool const matters = numbers.size() > 1 && numbers.size() < members.size();
  return matters ? nodes : std::vector<int>();
}

std::string placement_of(std::vector<int> const& nodes) {
  if (nodes.empty()) {
    return "";
  }
  std::size_t const num_nodes = static_cast<std::size_t>(std::ranges::max(nodes)) + 1;
  std::size_t const share = nodes.size() / num_nodes;
  bool are_runs = nodes.size() % num_nodes == 0;
  bool are_in_turn = are_runs;
  std::string numbers;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    auto const node = static_cast<std::size_t>(nodes[rank]);
    are_runs = are_runs && node == rank / share;
    are_in_turn = are_in_turn && node == rank % num_nodes;
    numbers += (numbers.empty() ? "" : " ") + std::to_string(node);
  }
  return are_runs ? "" : are_in_turn ? "in turn" : numbers;
}

Hops hops_of(algorithms::Choice const& bcast, std::vector<int> const& node_of_rank) {
  int const num_ranks = static_cast<int>(node_of_rank.size());
  Hops hops;
  for (int rank = 0; rank < num_ranks; ++rank) {
    for (schedule::Operation const& operation : bcast.generate(num_ranks, 0, rank).operations) {
      if (operation.kind != schedule::Kind::send) {
        continue;
      }
      bool const is_within = node_of_rank[static_cast<std::size_t>(rank)] ==
                             node_of_rank[static_cast<std::size_t>(operation.peer)];
      ++(is_within ? hops.within : hops.between);
    }
  }
  return hops;
}

HopTimes hop_times(ChainTime const& first, ChainTime const& second) {
  constexpr double least_share = 0.05;
  double const determinant = static_cast<double>(first.hops.within) * second.hops.between -
                             static_cast<double>(second.hops.within) * first.hops.between;
  double const least = least_share * first.time / (first.hops.within + first.hops.between);
  double const within =
      (first.time * second.hops.between - second.time * first.hops.between) / determinant;
  double const between =
      (second.time * first.hops.within - first.time * second.hops.within) / determinant;
  double const likely = std::max(within, least);
  return {.within = likely, .between = std::max(between, likely)};
}

}  // namespace espalier::capi
