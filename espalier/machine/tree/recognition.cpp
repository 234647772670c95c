// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <set>

#include "espalier/machine/tree/dealing.hpp"
#include "espalier/machine/tree/placement.hpp"
#include "espalier/machine/tree/refuse.hpp"

namespace espalier::machine {
namespace {

/// Nodes renumbered in the order in which ranks meet them.
struct Renumbered {
  std::vector<int> node_of_rank;
  std::vector<int> node_order;  ///< the old numbers
};

Renumbered renumber(std::span<int const> node_of_rank) {
  Renumbered result;
  std::vector<int> new_number;
  for (int const node : node_of_rank) {
    if (node < 0) {
      refuse("nodes numbered from 0", std::to_string(node));
    }
    auto const old = static_cast<std::size_t>(node);
    if (old >= new_number.size()) {
      new_number.resize(old + 1, -1);
    }
    if (new_number[old] < 0) {
      new_number[old] = static_cast<int>(result.node_order.size());
      result.node_order.push_back(node);
    }
    result.node_of_rank.push_back(new_number[old]);
  }
  return result;
}

/// How many ranks each node could take, in the new order.
std::vector<int> capacities(Renumbered const& ranks, std::span<int const> cores_of_node) {
  std::vector<int> used(ranks.node_order.size());
  for (int const node : ranks.node_of_rank) {
    ++used[static_cast<std::size_t>(node)];
  }
  if (cores_of_node.empty()) {
    return used;
  }
  std::vector<int> capacity;
  for (std::size_t i = 0; i < used.size(); ++i) {
    auto const node = static_cast<std::size_t>(ranks.node_order[i]);
    if (node >= cores_of_node.size() || cores_of_node[node] < used[i]) {
      refuse(
          "a number of cores for each node, at least as many as it has ranks",
          "node " + std::to_string(node)
      );
    }
    capacity.push_back(cores_of_node[node]);
  }
  return capacity;
}

/// Lengths of runs of ranks on one node: only these can be the n of cyclic:n.
std::set<int> run_lengths(std::span<int const> nodes) {
  std::set<int> lengths;
  int length = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ++length;
    if (i + 1 == nodes.size() || nodes[i + 1] != nodes[i]) {
      lengths.insert(length);
      length = 0;
    }
  }
  return lengths;
}

std::vector<Dealing> candidates(std::span<int const> nodes) {
  std::vector<Dealing> result{{.at_a_time = 0}, {.at_a_time = 1}};
  for (int const length : run_lengths(nodes)) {
    result.push_back({.at_a_time = length});
  }
  result.push_back({.is_folded = true});
  return result;
}

}  // namespace

Recognised recognise(std::span<int const> node_of_rank, std::span<int const> cores_of_node) {
  Renumbered ranks = renumber(node_of_rank);
  std::vector<int> const capacity = capacities(ranks, cores_of_node);
  Recognised result{.placement = "arbitrary", .node_order = std::move(ranks.node_order)};
  for (Dealing const& dealing : candidates(ranks.node_of_rank)) {
    std::vector<int> const nodes = dealing.nodes(capacity);
    if (std::equal(ranks.node_of_rank.begin(), ranks.node_of_rank.end(), nodes.begin())) {
      result.placement = dealing.text();
      break;
    }
  }
  return result;
}

}  // namespace espalier::machine
