// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/meeting.hpp"

#include <algorithm>
#include <unordered_set>

namespace espalier::learn {
namespace {

std::vector<int> ranks_on(int node, std::span<int const> node_of_rank) {
  std::vector<int> result;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    if (node_of_rank[rank] == node) {
      result.push_back(static_cast<int>(rank));
    }
  }
  return result;
}

std::vector<int> first_ranks(std::span<int const> node_of_rank) {
  std::unordered_set<int> nodes;
  std::vector<int> result;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    if (nodes.insert(node_of_rank[rank]).second) {
      result.push_back(static_cast<int>(rank));
    }
  }
  return result;
}

}  // namespace

Meeting::Meeting(int rank, std::span<int const> node_of_rank) {
  std::vector<int> const members =
      ranks_on(node_of_rank[static_cast<std::size_t>(rank)], node_of_rank);
  auto const place = static_cast<std::size_t>(std::ranges::find(members, rank) - members.begin());
  for (std::size_t step = 1; (place & step) == 0 && place + step < members.size(); step *= 2) {
    children.push_back(members[place + step]);
  }
  if (place > 0) {
    parent = members[place & (place - 1)];
    return;
  }
  std::vector<int> const firsts = first_ranks(node_of_rank);
  std::size_t const num_nodes = firsts.size();
  auto const own = static_cast<std::size_t>(std::ranges::find(firsts, rank) - firsts.begin());
  for (std::size_t distance = 1; distance < num_nodes; distance *= 2) {
    distances.push_back({
        .to = firsts[(own + distance) % num_nodes],
        .from = firsts[(own + num_nodes - distance) % num_nodes],
    });
  }
}

}  // namespace espalier::learn
