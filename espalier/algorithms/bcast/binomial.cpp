// SPDX-License-Identifier: Apache-2.0

/// @file
/// Binomial tree broadcast: in every round each rank that has the message serves one that has not.
///
///     blocks held, p = 5     rank 0   rank 1   rank 2   rank 3   rank 4
///     start                  0        -        -        -        -
///     after round 0          0        -        -        -        0
///     after round 1          0        -        0        -        0
///     after round 2          0        0        0        0        0
///
/// Rounds  ceil(log2 p).
/// Bytes   m ceil(log2 p) sent by the root, m = bytes of the message.
/// Valid   p >= 1; any root; can be segmented.
/// Source  [thakur2005], "binomial tree".

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/bcast/tree_bcast.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int rank) {
  int const x = relative_rank(request, rank);
  return tree_bcast(request, rank, pattern::k_nomial_node(2, request.num_ranks, x));
}

Facts facts(Request const& request) {
  int const rounds = ceil_log2(request.num_ranks);
  return {.rounds = rounds, .messages = rounds, .blocks = rounds, .volume = rounds};
}

}  // namespace

extern Algorithm const bcast_binomial{
    .collective = Collective::bcast,
    .name = "binomial",
    .summary = "in every round each rank that has the message serves one that has not",
    .source = "thakur2005",
    .generate = generate,
    .facts = facts,
    .segment_period = [](Request const& request) { return std::max(1, facts(request).rounds); },
    .variants = [](Request const& request) -> std::vector<std::string> {
      if (request.num_ranks > 33) {
        return {"", "[segments=16]"};
      }
      return {"", "[segments=4]", "[segments=16]"};
    },
};

}  // namespace espalier::algorithms
