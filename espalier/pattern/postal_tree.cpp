// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/postal_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace espalier::pattern {
namespace {

/// F(0), F(1), ... until all of the ranks can have the message.
std::vector<int> reached(int latency, int p) {
  std::vector<int> counts{1};
  while (counts.back() < p) {
    std::size_t const t = counts.size();
    auto const delay = static_cast<std::size_t>(latency);
    counts.push_back(t < delay ? 1 : counts[t - 1] + counts[t - delay]);
  }
  return counts;
}

/// A run of at least two ranks in two: those that stay with its leader, and those given away.
int kept(std::vector<int> const& counts, int size) {
  return *(std::ranges::lower_bound(counts, size) - 1);
}

}  // namespace

TreeNode postal_node(int latency, int p, int x) {
  latency = std::min(latency, p);
  std::vector<int> const counts = reached(latency, p);
  TreeNode node;
  int begin = 0;
  int size = p;
  int round = 0;
  while (begin != x) {
    int const keeps = kept(counts, size);
    if (x - begin < keeps) {
      size = keeps;
      ++round;
      continue;
    }
    node.parent = begin;
    node.parent_round = round;
    begin += keeps;
    size -= keeps;
    round += latency;
  }
  node.size = size;
  for (; size > 1; ++round) {
    int const keeps = kept(counts, size);
    node.children.push_back({.child = begin + keeps, .round = round, .size = size - keeps});
    size = keeps;
  }
  return node;
}

int postal_rounds(int latency, int p) {
  latency = std::min(latency, p);
  return p == 1 ? 0 : static_cast<int>(reached(latency, p).size()) - latency;
}

}  // namespace espalier::pattern
