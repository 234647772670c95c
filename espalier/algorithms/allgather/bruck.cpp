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
/// A gather-to-all by dissemination, in order of arrival and rotated at the end, is the same.
///
/// With radix k a round serves the k - 1 ranks at d, 2d, ... below, and d grows by k.
///
/// Rounds  ceil(log_k p), with up to k - 1 messages of a rank in flight together.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the gathered result.
/// Valid   p >= 1, k >= 2; any datatype, blocks are never split; in place.
/// Source  [bruck1997], "concatenation" in the k-port model.

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/choices/radix.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

int radix(Request const& request) {
  return request.arguments.integer("k", 2);
}

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  int const k = radix(request);
  schedule::Builder builder(output_frame(p, p), r);
  for (std::int64_t held = 1; held < p; held *= k) {
    std::int64_t const end = std::min<std::int64_t>(p, held * k);
    for (std::int64_t d = held; d < end; d += held) {
      auto const num_blocks = static_cast<int>(std::min(held, p - d));
      int const above = wrap(r + d, p);
      builder.recv(above, schedule::blocks(above, num_blocks));
      builder.send(wrap(r - d, p), schedule::blocks(r, num_blocks));
    }
    builder.next_round();
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  int const k = radix(request);
  int const others = p - 1;
  Facts facts{.rounds = ceil_log(k, p), .blocks = others, .volume = others};
  for (std::int64_t held = 1; held < p; held *= k) {
    facts.messages += std::min<std::int64_t>(k, ceil_div<std::int64_t>(p, held)) - 1;
  }
  return facts;
}

}  // namespace

extern Algorithm const allgather_bruck{
    .collective = Collective::allgather,
    .name = "bruck",
    .summary = "every rank sends all it has to the rank 1, 2, 4, ... below it",
    .source = "bruck1997",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "2",
        .minimum = 2,
        .description = "a round makes what a rank has k times as much",
    }},
    .generate = generate,
    .facts = facts,
    .variants = [](Request const& request
                ) { return radix_variants(request.num_ranks, {3, 4, 8}, 4); },
    .phase_variants =
        {
            {.tried = Tried::in_groups},
            {.tried = Tried::in_groups, .arguments = "[k=4]"},
            {.tried = Tried::within_rows},
            {.tried = Tried::between_rows},
            {.tried = Tried::in_pieces},
        },
};

}  // namespace espalier::algorithms
