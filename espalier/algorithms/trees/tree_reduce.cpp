// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/trees/tree_reduce.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "espalier/base/integer.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

bool is_in_order(Request const& request) {
  return request.root == 0 || request.arguments.integer(in_order_parameter.name, 0) == 1;
}

/// The rank to which the tree leads.
int top_of(Request const& request) {
  return is_in_order(request) ? 0 : request.root;
}

/// Children in rank order, each with the round in which it is heard: the rounds of a broadcast
/// backwards, the nearest child first.
std::vector<pattern::TreeEdge> heard(pattern::TreeNode const& node, int num_rounds) {
  std::vector<pattern::TreeEdge> children = node.children;
  std::ranges::sort(children, {}, &pattern::TreeEdge::child);
  std::vector<int> rounds;
  for (pattern::TreeEdge const& edge : children) {
    rounds.push_back(num_rounds - 1 - edge.round);
  }
  std::ranges::sort(rounds);
  for (std::size_t i = 0; i < children.size(); ++i) {
    children[i].round = rounds[i];
  }
  return children;
}

/// Own contribution (op) those of the children, from left to right; returns where the result is. If
/// it is to be the output, the last of several messages arrives there: the contribution has been
/// combined by then, and nothing has to be copied.
schedule::Slot combine(
    schedule::Builder& builder, std::vector<pattern::TreeEdge> const& children, bool is_result
) {
  std::size_t const num_children = children.size();
  schedule::Slot sum = schedule::blocks(0);
  schedule::Slot next;
  auto const post = [&](pattern::TreeEdge const& edge) {
    next = scratch_block(builder);
    builder.recv_ahead(edge.round, edge.child, next);
  };
  for (std::size_t i = 0; i < num_children; ++i) {
    bool const is_in_output = is_result && i > 0 && i + 1 == num_children;
    if (is_in_output) {
      next = schedule::blocks(0);
      builder.next_round(children[i].round).recv(children[i].child, next);
    } else if (i == 0) {
      post(children[0]);
    }
    schedule::Slot const arrived = next;
    builder.next_round(children[i].round);
    bool const is_next_in_output = is_result && i + 2 == num_children;
    if (i + 1 < num_children && !is_next_in_output) {
      post(children[i + 1]);
    }
    builder.reduce(arrived, sum);
    sum = arrived;
  }
  return sum;
}

void send_up(
    schedule::Builder& builder, pattern::Tree const& tree, int num_rounds, schedule::Slot sum
) {
  int const p = builder.frame().num_ranks;
  int const x = builder.rank();
  int const parent = tree(p, x).parent;
  std::vector<pattern::TreeEdge> const siblings = heard(tree(p, parent), num_rounds);
  auto const own = std::ranges::find(siblings, x, &pattern::TreeEdge::child);
  builder.next_round(own->round).send(parent, sum);
}

/// A node below the root has no more children than the one above it.
std::int64_t most_scratch(int p, pattern::Tree const& tree, bool is_top_root) {
  pattern::TreeNode const top = tree(p, 0);
  std::size_t most = top.children.size();
  if (is_top_root && most > 1) {
    --most;
    for (pattern::TreeEdge const& edge : top.children) {
      most = std::max(most, tree(p, edge.child).children.size());
    }
  }
  return static_cast<std::int64_t>(most);
}

}  // namespace

schedule::RankProgram
tree_reduce(Request const& request, int rank, pattern::Tree const& tree, int num_rounds) {
  int const p = request.num_ranks;
  int const top = top_of(request);
  int const root = wrap(std::int64_t{request.root} - top, p);
  int const x = wrap(std::int64_t{rank} - top, p);
  schedule::Builder builder(output_frame(p, 1), x);
  schedule::Slot const sum =
      combine(builder, heard(tree(p, x), num_rounds), x == root && root == 0);
  if (x != 0) {
    send_up(builder, tree, num_rounds, sum);
  } else if (root != 0) {
    builder.next_round(num_rounds).send(root, sum);
  } else if (sum.buffer == schedule::Buffer::scratch) {
    builder.next_round(builder.round()).copy(schedule::blocks(0), sum);
  }
  if (x == root && root != 0) {
    builder.wait_for_sends().next_round(num_rounds).recv(0, schedule::blocks(0));
  }
  return schedule::rotate(std::move(builder).finish(), top);
}

Facts tree_reduce_facts(Request const& request, pattern::Tree const& tree, int num_rounds) {
  int const p = request.num_ranks;
  int const sends = std::min(p - 1, 1);
  int const rounds = num_rounds + (top_of(request) == request.root ? 0 : 1);
  return {
      .rounds = rounds,
      .messages = sends,
      .blocks = sends,
      .scratch = most_scratch(p, tree, top_of(request) == request.root),
      .volume = rounds,
      .reductions = num_rounds,
  };
}

OperandOrder tree_reduce_order(Request const& request) {
  return is_in_order(request) ? OperandOrder::rank : OperandOrder::any;
}

}  // namespace espalier::algorithms
