// SPDX-License-Identifier: Apache-2.0

/// @file
/// Recursive doubling allgather: ranks at distance 1, 2, 4, ... swap everything they have.
///
///     blocks held, p = 4     rank 0   rank 1   rank 2   rank 3
///     start                  0        1        2        3
///     after round 0          01       01       23       23
///     after round 1          0123     0123     0123     0123
///
/// Rounds  log2 p.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the gathered result.
/// Valid   p a power of two; any datatype, blocks are never split; in place.
/// Source  [thakur2005], "recursive doubling".

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  schedule::Builder builder(output_frame(p, p), r);
  for (int d = 1; d < p; d *= 2) {
    int const peer = r ^ d;
    builder.recv(peer, schedule::blocks(peer / d * d, d));
    builder.send(peer, schedule::blocks(r / d * d, d));
    builder.next_round();
  }
  return std::move(builder).finish();
}

std::string refuses(Request const& request) {
  int const p = request.num_ranks;
  return is_power_of_two(p) ? "" : "needs a power of two of ranks, got " + std::to_string(p);
}

Facts facts(Request const& request) {
  int const rounds = ceil_log2(request.num_ranks);
  int const others = request.num_ranks - 1;
  return {.rounds = rounds, .messages = rounds, .blocks = others, .volume = others};
}

}  // namespace

extern Algorithm const allgather_recursive_doubling{
    .collective = Collective::allgather,
    .name = "recursive_doubling",
    .summary = "ranks at distance 1, 2, 4, ... swap everything they have",
    .source = "thakur2005",
    .valid = "a power of two of ranks",
    .refuses = refuses,
    .generate = generate,
    .facts = facts,
    .phase_variants = {{.tried = Tried::in_pieces, .turn = 2}},
};

}  // namespace espalier::algorithms
