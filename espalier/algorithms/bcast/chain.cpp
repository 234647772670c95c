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

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/k_ary.hpp"
#include "espalier/algorithms/trees/tree_bcast.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeBcast<ChainTrees>;

}  // namespace

extern Algorithm const bcast_chain{
    .collective = Collective::bcast,
    .name = "chain",
    .summary = "every rank hands the message to the next one; with segments, a pipeline",
    .source = "pjesivac2007",
    .generate = Trees::generate,
    .facts = Trees::facts,
    .segment_period = Trees::segment_period,
    .variants = [](Request const& request) -> std::vector<std::string> {
      if (request.num_ranks > 33) {
        return {"", "[segments=16]"};
      }
      return {"", "[segments=4]", "[segments=16]"};
    },
    .phase_variants =
        {
            {.tried = Tried::in_groups, .turn = 3},
            {.tried = Tried::between_rows},
        },
};

}  // namespace espalier::algorithms
