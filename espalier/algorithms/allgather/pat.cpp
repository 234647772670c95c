// SPDX-License-Identifier: Apache-2.0

/// @file
/// PAT (parallel aggregated trees) allgather: a binomial tree from each rank, far ranks first, with
/// up to `limit` blocks in a message; what does not fit goes the near distances one after another.
///
///     blocks held, p = 6, limit=2     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                           0        1        2        3        4        5
///     after round 0                   02       13       24       35       04       15
///     after round 1                   0125     0123     1234     2345     0345     0145
///     after round 2                   01245    01235    01234    12345    02345    01345
///     after round 3                   012345   012345   012345   012345   012345   012345
///
/// While a rank has less than `limit` blocks, distances halve and the data double, as in sparbit.
/// Then it holds a comb of blocks, D apart. Rank x above it gets that comb, for x = 1 .. D - 1,
/// along a binomial tree of D places: the parent of place x is x without its lowest one bit, and
/// the tree is walked in order of x. What a rank must keep for later children is O(log D) combs.
///
/// With limit = 1 this is the linear end of the scale, with limit >= p it is sparbit in one message
/// a round: long links carry few blocks in either case.
///
/// Rounds  log2 A + min(D, p) - 1, A = limit rounded down to a power of two but at most
///         2^ceil(log2 p), D = 2^ceil(log2 p) / A.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the gathered result.
/// Valid   p >= 1; any datatype, blocks are never split; in place.
/// Source  [jeaugey2025], with the result as the intermediate buffer.

#include <algorithm>
#include <bit>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

struct Phases {
  int farthest = 1;  ///< power of two, at least p
  int comb = 1;      ///< distance between the blocks of a rank when messages stop growing
};

Phases phases_of(Request const& request) {
  int const farthest = 1 << ceil_log2(request.num_ranks);
  int const limit = std::min(request.arguments.integer("limit", 8), farthest);
  return {
      .farthest = farthest,
      .comb = farthest / static_cast<int>(std::bit_floor(static_cast<unsigned>(limit))),
  };
}

/// Everybody sends num_blocks blocks, `stride` apart downwards from the one `back` below it, to the
/// rank `d` above.
void append_step(schedule::Builder& builder, int d, int back, int num_blocks, int stride) {
  int const p = builder.frame().num_ranks;
  int const r = builder.rank();
  builder.recv(wrap(r - d, p), schedule::blocks(r - d - back, num_blocks, -stride));
  builder.send(wrap(std::int64_t{r} + d, p), schedule::blocks(r - back, num_blocks, -stride));
  builder.next_round();
}

schedule::RankProgram generate(Request const& request, int rank) {
  int const p = request.num_ranks;
  auto const [farthest, comb] = phases_of(request);
  schedule::Builder builder(output_frame(p, p), rank);
  for (int d = farthest / 2; d >= comb; d /= 2) {
    // Blocks beyond the p-th would go round to a rank that has them or gets them from nearer.
    append_step(builder, d, 0, (p + d - 1) / (2 * d), 2 * d);
  }
  for (int x = 1; x < std::min(comb, p); ++x) {
    int const parent = x & (x - 1);
    append_step(builder, x - parent, parent, ceil_div(p - x, comb), comb);
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  auto const [farthest, comb] = phases_of(request);
  int const rounds = floor_log2(farthest / comb) + std::min(comb, p) - 1;
  return {.rounds = rounds, .messages = rounds, .blocks = p - 1, .volume = p - 1};
}

}  // namespace

extern Algorithm const allgather_pat{
    .collective = Collective::allgather,
    .name = "pat",
    .summary =
        "p binomial trees at once, far ranks first, with at most `limit` blocks in a message",
    .source = "jeaugey2025",
    .parameters = {{
        .name = "limit",
        .type = Parameter::Type::integer,
        .fallback = "8",
        .minimum = 1,
        .description = "most blocks in a message; rounded down to a power of two",
    }},
    .generate = generate,
    .facts = facts,
    .variants = [](Request const& request) -> std::vector<std::string> {
      if (request.num_ranks < 4 || request.num_ranks > 33) {
        return {""};
      }
      return {"", "[limit=2]"};
    },
};

}  // namespace espalier::algorithms
