// SPDX-License-Identifier: Apache-2.0

/// @file
/// Circulant allgather: as Bruck's, with distances that halve p and round up instead of powers of
/// two.
///
///     blocks held, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                  0        1        2        3        4        5
///     after round 0          01       12       23       34       45       05
///     after round 1          012      123      234      345      045      015
///     after round 2          012345   012345   012345   012345   012345   012345
///
/// The distances are s_0 = 1, ..., s_q = p with s_k = ceil(s_(k+1) / 2); in round k a rank, which
/// holds the run of s_k blocks that begins with its own, gets the s_(k+1) - s_k that follow. Every
/// round doubles the run but for rounding, where Bruck's last round fills what is left.
///
/// Rounds  ceil(log2 p).
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the gathered result.
/// Valid   p >= 1; any datatype, blocks are never split; in place.
/// Source  [traeff2024b], the reduce-scatter backwards.

#include "espalier/pattern/circulant.hpp"

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  std::vector<int> const skips = pattern::circulant_skips(p);
  schedule::Builder builder(output_frame(p, p), r);
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
    int const num_blocks = skips[k + 1] - skips[k];
    int const above = wrap(std::int64_t{r} + skips[k], p);
    builder.recv(above, schedule::blocks(above, num_blocks));
    builder.send(wrap(r - skips[k], p), schedule::blocks(r, num_blocks));
    builder.next_round();
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const rounds = ceil_log2(request.num_ranks);
  int const others = request.num_ranks - 1;
  return {.rounds = rounds, .messages = rounds, .blocks = others, .volume = others};
}

}  // namespace

extern Algorithm const allgather_circulant{
    .collective = Collective::allgather,
    .name = "circulant",
    .summary = "every rank sends a run of what it has below, at distances that halve p",
    .source = "traeff2024b",
    .generate = generate,
    .facts = facts,
};

}  // namespace espalier::algorithms
