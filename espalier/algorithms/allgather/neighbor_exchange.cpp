// SPDX-License-Identifier: Apache-2.0

/// @file
/// Neighbor exchange allgather: a rank turns to its left and right neighbour alternately, and they
/// swap the pair of blocks each got last.
///
///     blocks held, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                  0        1        2        3        4        5
///     after round 0          01       01       23       23       45       45
///     after round 1          0145     0123     0123     2345     2345     0145
///     after round 2          012345   012345   012345   012345   012345   012345
///
/// Rounds  p / 2.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the gathered result.
/// Valid   even p; any datatype, blocks are never split; in place.
/// Source  [chen2005], "neighbor exchange".

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

/// Blocks that rank r receives in a round: one in round 0, then the two of a pair 2q, 2q + 1.
schedule::Slot received(int p, int r, int round) {
  int const direction = r % 2 == 0 ? 1 : -1;
  if (round == 0) {
    return schedule::blocks(wrap(r + direction, p));
  }
  // Pairs come from either side in turn, each time from one pair further away.
  int const distance = (round + 1) / 2 * (round % 2 == 0 ? direction : -direction);
  return schedule::blocks(2 * (r / 2 + distance), 2);
}

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  schedule::Builder builder(output_frame(p, p), r);
  for (int k = 0; k < p / 2; ++k) {
    bool const to_the_right = r % 2 == k % 2;
    int const peer = wrap(to_the_right ? r + 1 : r - 1, p);
    builder.recv(peer, received(p, r, k));
    if (k == 0) {
      builder.send(peer, schedule::blocks(r));
    } else {
      // Round 0 has completed the rank's own pair.
      builder.send(peer, k == 1 ? schedule::blocks(r / 2 * 2, 2) : received(p, r, k - 1));
    }
    builder.next_round();
  }
  return std::move(builder).finish();
}

std::string refuses(Request const& request) {
  int const p = request.num_ranks;
  return p % 2 == 0 ? "" : "needs an even number of ranks, got " + std::to_string(p);
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  return {.rounds = p / 2, .messages = p / 2, .blocks = p - 1, .volume = p - 1};
}

}  // namespace

extern Algorithm const allgather_neighbor_exchange{
    .collective = Collective::allgather,
    .name = "neighbor_exchange",
    .summary = "left and right neighbours swap in turn the pair of blocks each got last",
    .source = "chen2005",
    .valid = "an even number of ranks",
    .neighbours_only = true,
    .refuses = refuses,
    .generate = generate,
    .facts = facts,
};

}  // namespace espalier::algorithms
