// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/trees/tree_bcast.hpp"

#include <utility>

#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {

schedule::RankProgram tree_bcast(Request const& request, int rank, pattern::TreeNode const& node) {
  schedule::Builder builder(output_frame(request.num_ranks, 1), relative_rank(request, rank));
  if (node.parent >= 0) {
    builder.next_round(node.parent_round).recv(node.parent, schedule::blocks(0));
  }
  for (pattern::TreeEdge const& edge : node.children) {
    builder.next_round(edge.round).send(edge.child, schedule::blocks(0));
  }
  return schedule::rotate(std::move(builder).finish(), request.root);
}

int relative_rank(Request const& request, int rank) {
  return wrap(std::int64_t{rank} - request.root, request.num_ranks);
}

}  // namespace espalier::algorithms
