// SPDX-License-Identifier: Apache-2.0

/// @file
/// Pairwise reduce-scatter: in round k every rank hands its contribution straight to the rank k
/// above it, which combines it at once.
///
///     sent, p = 4     rank 0   rank 1   rank 2   rank 3
///     round 0         1:1(0)   2:2(1)   3:3(2)   0:0(3)
///     round 1         2:2(0)   3:3(1)   0:0(2)   1:1(3)
///     round 2         3:3(0)   0:0(1)   1:1(2)   2:2(3)
///
/// Contributions come from the ranks below in falling order, then from the top down to the rank
/// above. Those below are put in front of the sum, those above are summed apart: so operands keep
/// their order although everybody is busy in every round.
///
/// Rounds  p - 1.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the vector.
/// Scratch 2 m / p.
/// Order   rank: ((0 op (1 op ...)) op (... op (p - 1))).
/// Valid   p >= 1; any datatype; blocks are never split.
/// Source  [thakur2005], "pairwise exchange".

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  schedule::Builder builder(output_frame(p, p), r);
  schedule::Slot const own = schedule::blocks(r);
  bool const hears_one_by_one = r > 0 || p > 2;
  schedule::Slot const inbox = builder.scratch(schedule::blocks(r, hears_one_by_one ? 1 : 0));
  schedule::Slot const above = builder.scratch(schedule::blocks(r, r < p - 1 ? 1 : 0));
  for (int k = 1; k < p; ++k) {
    int const from = wrap(r - k, p);
    builder.next_round(k - 1);
    builder.recv(from, from == p - 1 ? above : inbox);
    builder.send(wrap(std::int64_t{r} + k, p), schedule::blocks(r + k));
    builder.next_round(k - 1);
    if (from != p - 1) {
      builder.reduce(from < r ? own : above, inbox);
    }
  }
  if (r < p - 1) {
    builder.next_round(builder.round()).reduce(above, own);
    builder.next_round(builder.round()).copy(own, above);
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  return {
      .rounds = p - 1,
      .messages = p - 1,
      .blocks = p - 1,
      .scratch = std::min(2, p - 1),
      .volume = p - 1,
      // In the last round some ranks put the two sums together.
      .reductions = p - 1 + (p > 2 ? 1 : 0),
  };
}

}  // namespace

extern Algorithm const reduce_scatter_pairwise{
    .collective = Collective::reduce_scatter,
    .name = "pairwise",
    .summary = "every rank hands its contribution straight to each destination, one a round",
    .source = "thakur2005",
    .generate = generate,
    .facts = facts,
    .order = [](Request const&) { return OperandOrder::rank; },
    .phase_variants = {{.tried = Tried::within_rows}},
};

}  // namespace espalier::algorithms
