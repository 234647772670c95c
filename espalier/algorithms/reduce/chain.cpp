// SPDX-License-Identifier: Apache-2.0

/// @file
/// Chain reduction: every rank combines the sum of those before it with its own contribution and
/// hands it to the next; with segments, a pipeline.
///
///     sent, p = 4     rank 0   rank 1    rank 2     rank 3
///     round 0         1:0(0)   -         -          -
///     round 1         -        2:0(01)   -          -
///     round 2         -        -         3:0(012)   -
///     round 3         -        -         -          0:0(0123)
///
/// The last rank hands the sum to the root. The reproducible form for large vectors: whatever the
/// root and the segments, the same operands meet in the same order.
///
/// Rounds  p - 1 if the root is the last rank, otherwise p; 0 for p = 1.
/// Bytes   m sent per rank, m = bytes of the vector.
/// Scratch two vectors, one for what arrives and one for the sum.
/// Order   left: ((0 op 1) op 2) op ..., the same bits for any root.
/// Valid   p >= 1; any root; can be segmented.
/// Source  [pjesivac2007], "chain" and "pipeline".

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_reduce.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

/// From the last rank to the root.
void append_last_hop(schedule::Builder& builder, Request const& request, schedule::Slot sum) {
  int const last = request.num_ranks - 1;
  if (request.root == last) {
    return;
  }
  if (builder.rank() == last) {
    builder.next_round(last).send(request.root, sum);
  } else if (builder.rank() == request.root) {
    if (builder.rank() == 0) {
      builder.wait_for_sends();  // it sent its contribution itself, not a sum
    }
    builder.next_round(last).recv(last, schedule::blocks(0));
  }
}

schedule::RankProgram generate(Request const& request, int rank) {
  int const last = request.num_ranks - 1;
  schedule::Builder builder(output_frame(request.num_ranks, 1), rank);
  schedule::Slot sum = schedule::blocks(0);
  if (rank > 0) {
    schedule::Slot const before = scratch_block(builder);
    builder.recv_ahead(rank - 1, rank - 1, before);
    if (rank != last || rank != request.root) {
      sum = scratch_block(builder);
      builder.copy(sum, schedule::blocks(0));
    }
    builder.next_round(rank - 1).reduce(sum, before);
  }
  if (rank < last) {
    builder.next_round(rank).send(rank + 1, sum);
  }
  append_last_hop(builder, request, sum);
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  bool const has_last_hop = request.root != p - 1;
  // The last rank sums in place if it is the root.
  int const scratch = p == 1 ? 0 : p == 2 && !has_last_hop ? 1 : 2;
  return {
      .rounds = p - 1 + (has_last_hop ? 1 : 0),
      .messages = std::min(p - 1, 1),
      .blocks = std::min(p - 1, 1),
      .scratch = scratch,
      .volume = p - 1 + (has_last_hop ? 1 : 0),
      .reductions = p - 1,
  };
}

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"", "[segments=16]"};
  }
  return {"", "[segments=4]", "[segments=16]"};
}

}  // namespace

extern Algorithm const reduce_chain{
    .collective = Collective::reduce,
    .name = "chain",
    .summary = "the sum goes from rank to rank and then to the root; with segments, a pipeline",
    .source = "pjesivac2007",
    .generate = generate,
    .facts = facts,
    .order = [](Request const&) { return OperandOrder::left; },
    .segment_period = [](Request const&) { return 1; },
    .variants = variants,
    .phase_variants = {{.tried = Tried::between_rows}},
};

}  // namespace espalier::algorithms
