// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/trees/tree_gather.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "espalier/algorithms/trees/tree_scatter.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {

schedule::RankProgram
tree_gather(Request const& request, int rank, pattern::TreeNode const& node, int num_rounds) {
  int const p = request.num_ranks;
  int const x = relative_rank(request, rank);
  int const last_round = num_rounds - 1;
  bool const is_root = node.parent < 0;
  schedule::Builder builder(output_frame(p, p), x);
  schedule::Slot run = schedule::blocks(rank, node.size);
  if (!is_root && !node.children.empty()) {
    run = builder.scratch(run);
    builder.copy(part_of(run, 0, 1), schedule::blocks(rank));
  }
  // Whoever is served last in a scatter is heard first here.
  for (auto edge = node.children.rbegin(); edge != node.children.rend(); ++edge) {
    schedule::Slot const part = part_of(run, edge->child - x, edge->size);
    builder.recv_ahead(last_round - edge->round, edge->child, part);
  }
  if (!is_root) {
    builder.next_round(last_round - node.parent_round).send(node.parent, run);
  }
  return schedule::rotate(std::move(builder).finish(), request.root);
}

Facts tree_gather_facts(
    Request const& request, pattern::TreeNode const& root, int num_rounds, bool keeps_root_busy
) {
  int const others = request.num_ranks - 1;
  return {
      .rounds = num_rounds,
      .messages = std::min(others, 1),
      .blocks = largest_subtree(root),
      .scratch = subtree_scratch(root),
      .volume = keeps_root_busy ? std::optional<std::int64_t>(others) : std::nullopt,
  };
}

}  // namespace espalier::algorithms
