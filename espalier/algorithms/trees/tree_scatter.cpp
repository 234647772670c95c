// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/trees/tree_scatter.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {

schedule::RankProgram
tree_scatter(Request const& request, int rank, pattern::TreeNode const& node) {
  int const p = request.num_ranks;
  int const x = relative_rank(request, rank);
  bool const is_root = node.parent < 0;
  bool const is_leaf = node.children.empty();
  schedule::Builder builder(output_frame(p, p), x);
  schedule::Slot run = schedule::blocks(rank, node.size);
  if (!is_root) {
    run = is_leaf ? run : builder.scratch(run);
    builder.next_round(node.parent_round).recv(node.parent, run);
  }
  for (pattern::TreeEdge const& edge : node.children) {
    builder.next_round(edge.round).send(edge.child, part_of(run, edge.child - x, edge.size));
  }
  if (!is_root && !is_leaf) {
    builder.copy(schedule::blocks(rank), part_of(run, 0, 1));
  }
  return schedule::rotate(std::move(builder).finish(), request.root);
}

Facts tree_scatter_facts(
    Request const& request, pattern::TreeNode const& root, int num_rounds, bool keeps_root_busy
) {
  int const others = request.num_ranks - 1;
  return {
      .rounds = num_rounds,
      .messages = static_cast<std::int64_t>(root.children.size()),
      .blocks = others,
      .scratch = subtree_scratch(root),
      .volume = keeps_root_busy ? std::optional<std::int64_t>(others) : std::nullopt,
  };
}

schedule::Slot part_of(schedule::Slot run, int offset, int size) {
  run.first += offset;
  run.num_blocks = size;
  return run;
}

int largest_subtree(pattern::TreeNode const& root) {
  int largest = 0;
  for (pattern::TreeEdge const& edge : root.children) {
    largest = std::max(largest, edge.size);
  }
  return largest;
}

std::int64_t subtree_scratch(pattern::TreeNode const& root) {
  int const largest = largest_subtree(root);
  return largest == 1 ? 0 : largest;
}

}  // namespace espalier::algorithms
