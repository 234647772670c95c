// SPDX-License-Identifier: Apache-2.0

/// @file
/// Linear scan: every rank combines the sum of those before it with its own contribution and hands
/// the sum to the next; with segments, a pipeline.
///
///     sent, p = 4     rank 0   rank 1    rank 2     rank 3
///     round 0         1:0(0)   -         -          -
///     round 1         -        2:0(01)   -          -
///     round 2         -        -         3:0(012)   -
///
/// Rounds  p - 1.
/// Bytes   m sent per rank, m = bytes of the vector.
/// Scratch one vector.
/// Order   left: ((0 op 1) op 2) op ...
/// Valid   p >= 1; can be segmented.
/// Source  [sanders2006], "linear pipeline".

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int rank) {
  schedule::Builder builder(output_frame(request.num_ranks, 1), rank);
  schedule::Slot const sum = schedule::blocks(0);
  if (rank > 0) {
    schedule::Slot const before = builder.scratch(sum);
    builder.next_round(rank - 1).recv(rank - 1, before);
    builder.next_round(rank - 1).reduce(sum, before);
  }
  if (rank + 1 < request.num_ranks) {
    builder.next_round(rank).send(rank + 1, sum);
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const others = request.num_ranks - 1;
  int const some = std::min(others, 1);
  return {
      .rounds = others,
      .messages = some,
      .blocks = some,
      .scratch = some,
      .volume = others,
      .reductions = others,
  };
}

}  // namespace

extern Algorithm const scan_linear{
    .collective = Collective::scan,
    .name = "linear",
    .summary = "the sum goes from rank to rank; with segments, a pipeline",
    .source = "sanders2006",
    .generate = generate,
    .facts = facts,
    .order = [](Request const&) { return OperandOrder::left; },
    .segment_period = [](Request const&) { return 1; },
    .variants = [](Request const& request) -> std::vector<std::string> {
      if (request.num_ranks > 33) {
        return {"", "[segments=16]"};
      }
      return {"", "[segments=4]", "[segments=16]"};
    },
    .phase_variants =
        {
            {.tried = Tried::in_groups, .turn = 2},
            {.tried = Tried::within_rows},
        },
};

}  // namespace espalier::algorithms
