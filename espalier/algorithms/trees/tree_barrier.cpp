// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/trees/tree_barrier.hpp"

#include <utility>

#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {

schedule::RankProgram
tree_barrier(Request const& request, int rank, pattern::TreeNode const& node, int num_rounds) {
  schedule::Builder builder(output_frame(request.num_ranks, 0), rank);
  for (auto edge = node.children.rbegin(); edge != node.children.rend(); ++edge) {
    builder.next_round(num_rounds - 1 - edge->round).recv_signal(edge->child);
  }
  if (node.parent >= 0) {
    builder.next_round(num_rounds - 1 - node.parent_round).send_signal(node.parent);
    builder.next_round(num_rounds + node.parent_round).recv_signal(node.parent);
  }
  for (pattern::TreeEdge const& edge : node.children) {
    builder.next_round(num_rounds + edge.round).send_signal(edge.child);
  }
  return std::move(builder).finish();
}

}  // namespace espalier::algorithms
