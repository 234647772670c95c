// SPDX-License-Identifier: Apache-2.0

/// @file
/// Flat broadcast: the root sends the message to every other rank itself.
///
///     blocks held, p = 4     rank 0   rank 1   rank 2   rank 3
///     start                  0        -        -        -
///     after round 0          0        0        -        -
///     after round 1          0        0        0        -
///     after round 2          0        0        0        0
///
/// Rounds  p - 1.
/// Bytes   m (p - 1) sent by the root, m = bytes of the message.
/// Valid   p >= 1; any root; can be segmented.
/// Source  [pjesivac2007], "flat tree".

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/bcast/tree_bcast.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int rank) {
  int const p = request.num_ranks;
  int const num_children = std::max(1, p - 1);
  return tree_bcast(
      request, rank, pattern::k_ary_node(num_children, p, relative_rank(request, rank))
  );
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  return {.rounds = p - 1, .messages = p - 1, .blocks = p - 1, .volume = p - 1};
}

}  // namespace

extern Algorithm const bcast_flat{
    .collective = Collective::bcast,
    .name = "flat",
    .summary = "the root sends the message to every other rank itself",
    .source = "pjesivac2007",
    .generate = generate,
    .facts = facts,
    .segment_period = [](Request const& request) { return std::max(1, request.num_ranks - 1); },
};

}  // namespace espalier::algorithms
