// SPDX-License-Identifier: Apache-2.0

/// @file
/// Flat reduction: every rank sends its contribution to the root, which combines them in rank order
/// from left to right.
///
///     sent, p = 4     rank 0   rank 1   rank 2   rank 3
///     round 0         -        0:0(1)   -        -
///     round 1         -        -        0:0(2)   -
///     round 2         -        -        -        0:0(3)
///
/// The root has three vectors of scratch in turn, not one for each rank: one for the sum so far,
/// one for what is combined with it, and one into which the next message arrives meanwhile.
///
/// Rounds  p - 1.
/// Bytes   m sent per rank, m (p - 1) received by the root, m = bytes of the vector.
/// Scratch min(p - 1, 3) vectors on the root.
/// Order   left: ((0 op 1) op 2) op ..., the same bits for any root.
/// Valid   p >= 1; any root; can be segmented.
/// Source  [pjesivac2007], "flat tree".

#include <algorithm>
#include <utility>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

/// The root: message i comes from the i-th of the other ranks.
class Folding {
public:
  Folding(int num_ranks, int root)
      : num_messages_(num_ranks - 1), root_(root), builder_(output_frame(num_ranks, 1), root),
        window_(builder_.scratch(schedule::blocks(0, std::min(num_messages_, 3)))) {}

  schedule::RankProgram run() {
    post(0);
    for (int i = 0; i < num_messages_; ++i) {
      fold(i);
    }
    if (sum_.buffer == schedule::Buffer::scratch) {
      builder_.next_round(builder_.round()).copy(schedule::blocks(0), sum_);
    }
    return std::move(builder_).finish();
  }

private:
  [[nodiscard]] schedule::Slot place(int message) const {
    return {.buffer = schedule::Buffer::scratch, .first = message % window_.num_blocks};
  }

  void post(int message) {
    if (message < num_messages_) {
      int const peer = message < root_ ? message : message + 1;
      int const after = message < window_.num_blocks ? 0 : builder_.num_operations();
      builder_.recv_ahead(message, peer, place(message), after);
    }
  }

  /// Sum (op) message, and then (op) the root's own contribution if it is its turn.
  void fold(int message) {
    bool const is_first = message == 0 && root_ != 0;
    bool const is_before_own = message == root_ - 1;
    builder_.next_round(message);
    if (!is_before_own) {
      post(message + 1);
    }
    if (!is_first) {
      builder_.reduce(place(message), sum_);
    }
    sum_ = place(message);
    if (is_before_own) {
      builder_.next_round(message);
      post(message + 1);
      builder_.reduce(schedule::blocks(0), sum_);
      sum_ = schedule::blocks(0);
    }
  }

  int num_messages_;
  int root_;
  schedule::Builder builder_;
  schedule::Slot window_;
  schedule::Slot sum_ = schedule::blocks(0);
};

schedule::RankProgram generate(Request const& request, int rank) {
  int const root = request.root;
  if (rank == root) {
    return Folding(request.num_ranks, root).run();
  }
  schedule::Builder builder(output_frame(request.num_ranks, 1), rank);
  builder.next_round(rank < root ? rank : rank - 1).send(root, schedule::blocks(0));
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const others = request.num_ranks - 1;
  return {
      .rounds = others,
      .messages = std::min(others, 1),
      .blocks = std::min(others, 1),
      .scratch = std::min(others, 3),
      .volume = others,
      .reductions = others,
  };
}

}  // namespace

extern Algorithm const reduce_flat{
    .collective = Collective::reduce,
    .name = "flat",
    .summary = "the root hears all others and combines from left to right",
    .source = "pjesivac2007",
    .generate = generate,
    .facts = facts,
    .order = [](Request const&) { return OperandOrder::left; },
    .segment_period = [](Request const& request) { return std::max(1, request.num_ranks - 1); },
    .phase_variants =
        {
            {.tried = Tried::in_groups, .turn = 3},
            {.tried = Tried::within_rows},
        },
};

}  // namespace espalier::algorithms
