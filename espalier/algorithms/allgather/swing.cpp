// SPDX-License-Identifier: Apache-2.0

/// @file
/// Swing allgather: partners at distance ..., 11, 5, 3, 1, 1 on a ring swap all they have, on
/// alternating sides; the largest messages go to the nearest rank.
///
///     blocks held, p = 4     rank 0   rank 1   rank 2   rank 3
///     start                  0        1        2        3
///     after round 0          03       12       12       03
///     after round 1          0123     0123     0123     0123
///
/// After the first round a rank holds two combs of blocks, one through its own and one through that
/// of its last partner; each round halves the gaps.
///
/// Rounds  log2 p.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the gathered result.
/// Valid   p a power of two; any datatype, blocks are never split; in place.
/// Source  [desensi2024], the second half of its allreduce.

#include <array>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/pattern/negabinary.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

/// What a rank has before a step; steps go down, so the step before is `step` + 1.
std::array<schedule::Slot, 2> held(int p, int rank, int step) {
  if (step + 1 == floor_log2(p)) {
    return {schedule::blocks(rank), schedule::blocks(rank, 0)};
  }
  int const stride = 1 << (step + 2);
  int const last_partner = pattern::negabinary_partner(p, rank, step + 1);
  return {
      schedule::blocks(rank, p / stride, stride),
      schedule::blocks(last_partner, p / stride, stride),
  };
}

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  schedule::Builder builder(output_frame(p, p), r);
  for (int step = floor_log2(p); step-- > 0;) {
    int const partner = pattern::negabinary_partner(p, r, step);
    builder.recv(partner, held(p, partner, step));
    builder.send(partner, held(p, r, step));
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

extern Algorithm const allgather_swing{
    .collective = Collective::allgather,
    .name = "swing",
    .summary = "partners at distance ..., 5, 3, 1, 1 swap all they have",
    .source = "desensi2024",
    .valid = "a power of two of ranks",
    .refuses = refuses,
    .generate = generate,
    .facts = facts,
};

}  // namespace espalier::algorithms
