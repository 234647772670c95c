// SPDX-License-Identifier: Apache-2.0

/// @file
/// Reduce-scatter in order: every rank collects all contributions to its block, then combines them
/// from rank 0 upwards, one after the other.
///
///     sent, p = 4     rank 0   rank 1   rank 2   rank 3
///     round 0         1:1(0)   2:2(1)   3:3(2)   0:0(3)
///     round 1         2:2(0)   3:3(1)   0:0(2)   1:1(3)
///     round 2         3:3(0)   0:0(1)   1:1(2)   2:2(3)
///
/// The result has the same bits as that of a loop over the ranks, whatever the operator does to
/// rounding, and so the same bits on every machine and number of nodes.
///
/// Rounds  p - 1.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the vector.
/// Scratch m (p - 1) / p.
/// Order   left: ((0 op 1) op 2) op ...
/// Valid   p >= 1; any datatype; blocks are never split.
/// Source  [thakur2005], "pairwise exchange", with the operator applied at the end.

#include <algorithm>
#include <cstddef>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  schedule::Builder builder(output_frame(p, p), r);
  std::vector<schedule::Slot> contributions;
  for (int rank = 0; rank < p; ++rank) {
    schedule::Slot const block = schedule::blocks(r);
    contributions.push_back(rank == r ? block : builder.scratch(block));
  }
  for (int k = 1; k < p; ++k) {
    int const from = wrap(r - k, p);
    builder.recv(from, contributions[static_cast<std::size_t>(from)]);
    builder.send(wrap(std::int64_t{r} + k, p), schedule::blocks(r + k));
    builder.next_round(std::min(k, p - 2));
  }
  for (std::size_t rank = 1; rank < contributions.size(); ++rank) {
    builder.reduce(contributions[rank], contributions[rank - 1]).next_round(builder.round());
  }
  if (r < p - 1) {
    builder.copy(schedule::blocks(r), contributions.back());
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const others = request.num_ranks - 1;
  return {
      .rounds = others,
      .messages = others,
      .blocks = others,
      .scratch = others,
      .volume = others,
      .reductions = others,
  };
}

}  // namespace

extern Algorithm const reduce_scatter_in_order{
    .collective = Collective::reduce_scatter,
    .name = "in_order",
    .summary = "every rank collects its contributions and combines them from rank 0 upwards",
    .source = "thakur2005",
    .generate = generate,
    .facts = facts,
    .order = [](Request const&) { return OperandOrder::left; },
    .phase_variants = {{.tried = Tried::between_rows}},
};

}  // namespace espalier::algorithms
