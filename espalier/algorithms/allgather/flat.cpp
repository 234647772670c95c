// SPDX-License-Identifier: Apache-2.0

/// @file
/// Flat allgather: every rank sends its block to every other.
///
///     blocks held, p = 4     rank 0   rank 1   rank 2   rank 3
///     start                  0        1        2        3
///     after round 0          0123     0123     0123     0123
///
/// Rounds  1; all p - 1 messages of a rank are in flight together.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the gathered result.
/// Valid   p >= 1; any datatype, blocks are never split; in place.
/// Source  [nishtala2009], "flat gather-to-all".

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  schedule::Builder builder(output_frame(p, p), r);
  for (int d = 1; d < p; ++d) {
    int const below = wrap(r - d, p);
    builder.recv(below, schedule::blocks(below));
  }
  for (int d = 1; d < p; ++d) {
    builder.send(wrap(std::int64_t{r} + d, p), schedule::blocks(r));
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const others = request.num_ranks - 1;
  int const rounds = others > 0 ? 1 : 0;
  return {.rounds = rounds, .messages = others, .blocks = others, .volume = others};
}

}  // namespace

extern Algorithm const allgather_flat{
    .collective = Collective::allgather,
    .name = "flat",
    .summary = "every rank sends its block to every other, all at once",
    .source = "nishtala2009",
    .generate = generate,
    .facts = facts,
};

}  // namespace espalier::algorithms
