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

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/k_nomial.hpp"
#include "espalier/algorithms/trees/tree_bcast.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeBcast<BinomialTrees>;

}  // namespace

extern Algorithm const bcast_binomial{
    .collective = Collective::bcast,
    .name = "binomial",
    .summary = "in every round each rank that has the message serves one that has not",
    .source = "thakur2005",
    .generate = Trees::generate,
    .facts = Trees::facts,
    .segment_period = Trees::segment_period,
    .variants = [](Request const& request) -> std::vector<std::string> {
      if (request.num_ranks > 33) {
        return {"", "[segments=16]"};
      }
      return {"", "[segments=4]", "[segments=16]"};
    },
    .phase_variants = {{.tried = Tried::in_groups}},
};

}  // namespace espalier::algorithms
