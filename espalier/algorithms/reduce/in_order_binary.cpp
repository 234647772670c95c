// SPDX-License-Identifier: Apache-2.0

/// @file
/// In-order binary tree reduction: the ranks below a node are in its left subtree and those above
/// it in its right one; with segments, a pipeline.
///
///     sent, p = 6, root = 2     rank 0    rank 1   rank 2   rank 3   rank 4     rank 5
///     round 0                   -         0:0(1)   -        -        -          4:0(5)
///     round 1                   -         -        -        4:0(3)   -          -
///     round 2                   -         -        -        -        2:0(345)   -
///     round 3                   2:0(01)   -        -        -        -          -
///
/// The tree has the root wherever it is in rank order, so that no root costs a hop, and every other
/// subtree is led by its middle rank. A rank hears the right child first, since what comes from the
/// right can be combined where it arrived.
///
/// Rounds  at most 2 log2(p + 1) - 1 with the middle rank as the root, 2 log2 p + 1 with any; with
///         s segments 2 (s - 1) more.
/// Bytes   m sent per rank, at most 2 m received, m = bytes of the vector.
/// Scratch a vector for each message that a rank receives, at most two.
/// Order   rank, for any root.
/// Valid   p >= 1; any root; can be segmented.
/// Source  [sanders2006], the tree of "pipelined binary tree".

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_reduce.hpp"
#include "espalier/pattern/in_order_tree.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

/// Left (op) own (op) right; returns where it is. Nobody but the root has only a left child.
schedule::Slot combine(schedule::Builder& builder, pattern::InOrderNode const& node) {
  schedule::Slot sum = schedule::blocks(0);
  schedule::Slot from_left;
  if (node.right >= 0) {
    schedule::Slot const from_right = scratch_block(builder);
    builder.recv_ahead(node.right_round, node.right, from_right);
    builder.next_round(node.right_round);
    if (node.left >= 0) {
      from_left = scratch_block(builder);
      builder.recv_ahead(node.left_round, node.left, from_left);
    }
    builder.reduce(from_right, sum);
    sum = from_right;
  } else if (node.left >= 0) {
    from_left = scratch_block(builder);
    builder.recv_ahead(node.left_round, node.left, from_left);
  }
  if (node.left >= 0) {
    builder.next_round(node.left_round).reduce(sum, from_left);
  }
  return sum;
}

schedule::RankProgram generate(Request const& request, int rank) {
  int const p = request.num_ranks;
  pattern::InOrderNode const node = pattern::in_order_node(p, request.root, rank);
  schedule::Builder builder(output_frame(p, 1), rank);
  schedule::Slot const sum = combine(builder, node);
  if (node.parent >= 0) {
    builder.next_round(node.parent_round).send(node.parent, sum);
  } else if (sum.buffer == schedule::Buffer::scratch) {
    builder.next_round(builder.round()).copy(schedule::blocks(0), sum);
  }
  return std::move(builder).finish();
}

std::int64_t most_children(int p, int root) {
  int const left = root;
  int const right = p - 1 - root;
  bool const is_branched = std::min(left, right) > 0 || std::max(left, right) > 2;
  return is_branched ? 2 : std::min(p - 1, 1);
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  int const rounds = pattern::in_order_rounds(p, request.root);
  return {
      .rounds = rounds,
      .messages = std::min(p - 1, 1),
      .blocks = std::min(p - 1, 1),
      .scratch = most_children(p, request.root),
      .volume = rounds,
      .reductions = rounds,
  };
}

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"", "[segments=16]"};
  }
  return {"", "[segments=4]", "[segments=16]"};
}

}  // namespace

extern Algorithm const reduce_in_order_binary{
    .collective = Collective::reduce,
    .name = "in_order_binary",
    .summary = "ranks below a node are to its left, those above to its right; any root is the top",
    .source = "sanders2006",
    .generate = generate,
    .facts = facts,
    .order = [](Request const&) { return OperandOrder::rank; },
    .segment_period = [](Request const& request) { return request.num_ranks > 2 ? 2 : 1; },
    .variants = variants,
};

}  // namespace espalier::algorithms
