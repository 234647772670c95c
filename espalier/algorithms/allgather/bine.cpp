// SPDX-License-Identifier: Apache-2.0

/// @file
/// Bine allgather: partners at distance 1, 1, 3, 5, 11, ... swap all they have, even ranks first
/// upwards, then downwards, and so on; odd ranks the other way.
///
///     blocks held, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                  0        1        2        3        4        5
///     after round 0          01       01       23       23       45       45
///     after round 1          0145     0123     0123     2345     2345     0145
///     after round 2          012345   012345   012345   012345   012345   012345
///
/// What a rank holds is a run of blocks, and its partner's run continues it: distances are two
/// thirds of those of recursive doubling. If p is no power of two, runs overlap in the last round,
/// and only what is missing is sent. If p is odd, rank 1 hands its block to rank 0, stays aside,
/// and gets all others at the end.
///
/// Rounds  ceil(log2 p); for odd p > 1 ceil(log2 (p - 1)) + 2.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the gathered result; twice that if p is odd.
/// Valid   p >= 1; any datatype, blocks are never split; in place.
/// Source  [desensi2025], the butterfly with distances that double.

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/allgather/parts/folded.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/pattern/negabinary.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

/// An even number of places, or one.
pattern::Folding folding_for(int p) {
  return {p, p == 1 ? 1 : p / 2 * 2};
}

/// What a place sends in a step: what is next to its partner's run.
schedule::Slot sent(pattern::Folding const& folding, int place, int step) {
  // In step i a run grows by 2^i, at even places upwards first, at odd places downwards first, and
  // then on alternating sides.
  int above = 0;
  int below = 0;
  for (int i = 0; i < step; ++i) {
    (i % 2 == place % 2 ? above : below) += 1 << i;
  }
  int const held = 1 << step;
  int const size = std::min(held, folding.num_places() - held);
  bool const partner_is_above = step % 2 == place % 2;
  return blocks_of(folding, partner_is_above ? place + above - size + 1 : place - below, size);
}

schedule::RankProgram generate(Request const& request, int rank) {
  int const p = request.num_ranks;
  pattern::Folding const folding = folding_for(p);
  int const num_steps = ceil_log2(folding.num_places());
  auto const swap_all = [&](schedule::Builder& builder, int place) {
    for (int step = 0; step < num_steps; ++step) {
      int const partner = pattern::negabinary_partner(folding.num_places(), place, step);
      builder.recv(folding.rank_of(partner), sent(folding, partner, step));
      builder.send(folding.rank_of(partner), sent(folding, place, step));
      builder.next_round();
    }
  };
  schedule::Builder builder(output_frame(p, p), rank);
  return folded_allgather(std::move(builder), folding, num_steps, swap_all);
}

Facts facts(Request const& request) {
  pattern::Folding const folding = folding_for(request.num_ranks);
  int const steps = ceil_log2(folding.num_places());
  int const others = request.num_ranks - 1;
  if (folding.num_pairs() == 0) {
    return {.rounds = steps, .messages = steps, .blocks = others, .volume = others};
  }
  // Rank 0 sends most; in each step some message has both blocks of the pair.
  return {
      .rounds = steps + 2,
      .messages = steps + 1,
      .blocks = generate(request, 0).num_blocks_sent(),
      .volume = 2 * others + steps,
  };
}

}  // namespace

extern Algorithm const allgather_bine{
    .collective = Collective::allgather,
    .name = "bine",
    .summary = "partners at distance 1, 1, 3, 5, 11, ... swap all they have",
    .source = "desensi2025",
    .generate = generate,
    .facts = facts,
};

}  // namespace espalier::algorithms
