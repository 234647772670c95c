// SPDX-License-Identifier: Apache-2.0

/// @file
/// Ring allgather: every rank hands the block it got last to its right neighbour.
///
///     blocks held, p = 4     rank 0   rank 1   rank 2   rank 3
///     start                  0        1        2        3
///     after round 0          03       01       12       23
///     after round 1          023      013      012      123
///     after round 2          0123     0123     0123     0123
///
/// Rounds  p - 1.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the gathered result.
/// Valid   p >= 1; any datatype, blocks are never split; in place.
/// Source  [thakur2005], "ring".

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  schedule::Builder builder(output_frame(p, p), r);
  for (int k = 0; k < p - 1; ++k) {
    // What arrived in round k - 1 goes on; in round 0 that is the rank's own block.
    builder.recv(wrap(r - 1, p), schedule::blocks(r - k - 1));
    builder.send(wrap(r + 1, p), schedule::blocks(r - k));
    builder.next_round();
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  return {.rounds = p - 1, .messages = p - 1, .blocks = p - 1, .volume = p - 1};
}

}  // namespace

extern Algorithm const allgather_ring{
    .collective = Collective::allgather,
    .name = "ring",
    .summary = "every rank hands the block it got last to its right neighbour",
    .source = "thakur2005",
    .neighbours_only = true,
    .generate = generate,
    .facts = facts,
    .phase_variants = {{.tried = Tried::in_groups}},
};

}  // namespace espalier::algorithms
