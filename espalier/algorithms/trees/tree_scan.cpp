// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/trees/tree_scan.hpp"

#include <algorithm>
#include <utility>

#include "espalier/pattern/in_order_tree.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

/// Rounds in which the leader of a balanced run hears all of it.
int rounds_up(int size) {
  return size == 0 ? 0 : pattern::in_order_rounds(size, pattern::in_order_middle(size));
}

/// Rounds in which all of a run hear what its leader knows: the smaller right half comes second.
int rounds_down(int size) {
  int rounds = 0;
  for (; size > 2; size = (size - 1) / 2) {
    rounds += 2;
  }
  return rounds + (size == 2 ? 1 : 0);
}

/// A rank in the tree. It is the mirror image of that for reductions, so that the left child is
/// heard first and nobody has a right child only.
struct Node {
  int begin = 0;
  int end = 1;
  int parent = -1;
  int left = -1;
  int right = -1;
  int left_round = 0;
  int right_round = 0;
  int parent_round = 0;
  bool has_below = false;    ///< ranks below the subtree
  bool sends_up = false;     ///< somebody above the subtree needs its sum
  bool hears_right = false;  ///< so the sum of the right subtree is needed
};

Node node_of(int p, int x) {
  auto const mirror = [p](int rank) { return rank < 0 ? -1 : p - 1 - rank; };
  auto const image = pattern::in_order_node(p, pattern::in_order_middle(p), mirror(x));
  Node node{
      .begin = p - image.end,
      .end = p - image.begin,
      .parent = mirror(image.parent),
      .left = mirror(image.right),
      .right = mirror(image.left),
      .left_round = image.right_round,
      .right_round = image.left_round,
      .parent_round = image.parent_round,
  };
  node.has_below = node.begin > 0;
  node.sends_up = node.end < p;
  node.hears_right = node.sends_up && node.right >= 0;
  return node;
}

int num_rounds_up(int p) {
  return p == 1 ? 0 : rounds_up(p / 2) + 1;
}

/// Round in which a node that has ranks below its subtree hears their sum.
int round_of_below(int p, int x, Node const& node) {
  Node const parent = node_of(p, node.parent);
  if (!parent.has_below) {
    return num_rounds_up(p);
  }
  return round_of_below(p, node.parent, parent) + (x < node.parent ? 1 : 2);
}

class TreeScan {
public:
  TreeScan(int p, int rank, bool is_exclusive)
      : node_(node_of(p, rank)), is_exclusive_(is_exclusive), builder_(output_frame(p, 1), rank) {
    needs_sum_ = !is_exclusive || node_.sends_up || node_.right >= 0;
    if (is_exclusive && needs_sum_) {
      sum_ = scratch();
      builder_.copy(sum_, result_);
    }
  }

  schedule::RankProgram run() {
    go_up();
    go_down();
    return std::move(builder_).finish();
  }

private:
  schedule::Slot scratch() { return builder_.scratch(result_); }

  /// Sum: left (op) own, and what goes up: left (op) own (op) right.
  void go_up() {
    schedule::Slot total = sum_;
    if (node_.left >= 0) {
      schedule::Slot const from_left = is_exclusive_ ? result_ : scratch();
      builder_.recv_ahead(node_.left_round, node_.left, from_left, builder_.num_operations());
      builder_.next_round(node_.left_round);
      if (node_.hears_right) {
        total = scratch();
        builder_.recv_ahead(node_.right_round, node_.right, total);
      }
      if (needs_sum_) {
        builder_.reduce(sum_, from_left);
      }
    }
    if (node_.hears_right) {
      builder_.next_round(node_.right_round).reduce(total, sum_);
    }
    if (node_.sends_up) {
      builder_.next_round(node_.parent_round).send(node_.parent, total);
    }
  }

  void go_down() {
    int const p = builder_.frame().num_ranks;
    int round = num_rounds_up(p);
    if (node_.has_below) {
      round = round_of_below(p, builder_.rank(), node_);
      add_below(round);
      round += 2;
    }
    if (node_.right >= 0) {
      builder_.next_round(round).send(node_.right, sum_);
    }
  }

  /// Passes on what is below the subtree before it is combined.
  void add_below(int round) {
    bool const is_result = is_exclusive_ && node_.left < 0;
    schedule::Slot const below = is_result ? result_ : scratch();
    builder_.next_round(round).recv(node_.parent, below);
    if (!is_exclusive_) {
      builder_.wait_for_sends();  // a rank without right child has sent its sum itself
    }
    builder_.next_round(round + 1);
    if (node_.left >= 0) {
      builder_.send(node_.left, below);
    }
    if (is_exclusive_ && node_.left >= 0) {
      builder_.reduce(result_, below);
    }
    if (!is_exclusive_ || node_.right >= 0) {
      builder_.reduce(sum_, below);
    }
  }

  Node node_;
  bool is_exclusive_;
  schedule::Builder builder_;
  schedule::Slot result_ = schedule::blocks(0);
  schedule::Slot sum_ = result_;
  bool needs_sum_ = true;
};

/// The most that any rank has, of something of which a rank in the middle has all three.
template <typename Count> int most(int p, Count&& count) {
  constexpr int first_with_all = 13;  // smallest tree with such a rank that has two children
  int result = p >= first_with_all ? 3 : 0;
  for (int x = 0; x < std::min(p, first_with_all) && result < 3; ++x) {
    result = std::max(result, count(node_of(p, x)));
  }
  return result;
}

int num_messages(Node const& node) {
  bool const passes_on = node.has_below && node.left >= 0;
  return (node.sends_up ? 1 : 0) + (passes_on ? 1 : 0) + (node.right >= 0 ? 1 : 0);
}

Facts facts_of(int p, int scratch) {
  int const rounds = num_rounds_up(p) + (p < 3 ? 0 : 1 + rounds_down((p - 1) / 2));
  int const messages = most(p, num_messages);
  return {
      .rounds = rounds,
      .messages = messages,
      .blocks = messages,
      .scratch = scratch,
      .volume = rounds,
      .reductions = rounds,
  };
}

}  // namespace

schedule::RankProgram tree_scan(Request const& request, int rank) {
  return TreeScan(request.num_ranks, rank, false).run();
}

Facts tree_scan_facts(Request const& request) {
  return facts_of(request.num_ranks, most(request.num_ranks, [](Node const& node) {
                    return (node.left >= 0 ? 1 : 0) + (node.hears_right ? 1 : 0) +
                           (node.has_below ? 1 : 0);
                  }));
}

schedule::RankProgram tree_exscan(Request const& request, int rank) {
  return TreeScan(request.num_ranks, rank, true).run();
}

Facts tree_exscan_facts(Request const& request) {
  int const p = request.num_ranks;
  int const scratch = most(p, [](Node const& node) {
    bool const has_sum = node.sends_up || node.right >= 0;
    bool const has_below = node.has_below && node.left >= 0;
    return (has_sum ? 1 : 0) + (node.hears_right ? 1 : 0) + (has_below ? 1 : 0);
  });
  Facts facts = facts_of(p, scratch);
  // Ranks with two children combine twice with what is below them, others once or not at all.
  facts.reductions = std::nullopt;
  return facts;
}

int tree_scan_period(Request const& request) {
  return std::max(1, most(request.num_ranks, num_messages));
}

}  // namespace espalier::algorithms
