// SPDX-License-Identifier: Apache-2.0

/// @file
/// Chain broadcast: every rank hands the message to the next one; with segments, a pipeline.
///
///     blocks held, p = 4     rank 0   rank 1   rank 2   rank 3
///     start                  0        -        -        -
///     after round 0          0        0        -        -
///     after round 1          0        0        0        -
///     after round 2          0        0        0        0
///
/// Rounds  p - 1; with s segments p - 2 + s.
/// Bytes   m sent per rank, m = bytes of the message.
/// Valid   p >= 1; any root; can be segmented.
/// Source  [pjesivac2007], "chain" and "pipeline".

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/bcast/tree_bcast.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int rank) {
  int const x = relative_rank(request, rank);
  return tree_bcast(request, rank, pattern::k_ary_node(1, request.num_ranks, x));
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  int const sends = std::min(p - 1, 1);
  return {.rounds = p - 1, .messages = sends, .blocks = sends, .volume = p - 1};
}

}  // namespace

extern Algorithm const bcast_chain{
    .collective = Collective::bcast,
    .name = "chain",
    .summary = "every rank hands the message to the next one; with segments, a pipeline",
    .source = "pjesivac2007",
    .generate = generate,
    .facts = facts,
    .segment_period = [](Request const&) { return 1; },
    .variants = [](Request const& request) -> std::vector<std::string> {
      if (request.num_ranks > 33) {
        return {"", "[segments=16]"};
      }
      return {"", "[segments=4]", "[segments=16]"};
    },
};

}  // namespace espalier::algorithms
