// SPDX-License-Identifier: Apache-2.0

/// @file
/// Bruck allgather: every rank sends all it has to the rank 1, 2, 4, ... below it.
///
///     blocks held, p = 5     rank 0   rank 1   rank 2   rank 3   rank 4
///     start                  0        1        2        3        4
///     after round 0          01       12       23       34       04
///     after round 1          0123     1234     0234     0134     0124
///     after round 2          01234    01234    01234    01234    01234
///
/// What a rank holds is a run of blocks that begins with its own. Blocks stand at their final
/// places from the start and a run may wrap, so there is no shift before and no rotation after.
///
/// Rounds  ceil(log2 p).
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the gathered result.
/// Valid   p >= 1; any datatype, blocks are never split; in place.
/// Source  [bruck1997], "concatenation".

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  schedule::Builder builder(output_frame(p, p), r);
  for (int d = 1; d < p; d *= 2) {
    int const num_blocks = std::min(d, p - d);
    int const above = wrap(std::int64_t{r} + d, p);
    builder.recv(above, schedule::blocks(above, num_blocks));
    builder.send(wrap(std::int64_t{r} - d, p), schedule::blocks(r, num_blocks));
    builder.next_round();
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const rounds = ceil_log2(request.num_ranks);
  return {.rounds = rounds, .messages = rounds, .blocks = request.num_ranks - 1};
}

}  // namespace

extern Algorithm const allgather_bruck{
    .collective = Collective::allgather,
    .name = "bruck",
    .summary = "every rank sends all it has to the rank 1, 2, 4, ... below it",
    .source = "bruck1997",
    .generate = generate,
    .facts = facts,
};

}  // namespace espalier::algorithms
