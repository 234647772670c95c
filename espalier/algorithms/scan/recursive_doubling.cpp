// SPDX-License-Identifier: Apache-2.0

/// @file
/// Recursive doubling scan: every rank sends its sum to the rank 1, 2, 4, ... above it.
///
///     sent, p = 5     rank 0   rank 1    rank 2    rank 3   rank 4
///     round 0         1:0(0)   2:0(1)    3:0(2)    4:0(3)   -
///     round 1         2:0(0)   3:0(01)   4:0(12)   -        -
///     round 2         4:0(0)   -         -         -        -
///
/// After the round with distance d the sum of a rank is over the 2 d ranks up to it, or over all
/// there are: one operator call per round, for any number of ranks.
///
/// Rounds  ceil(log2 p).
/// Bytes   m ceil(log2 p) sent at most, m = bytes of the vector.
/// Scratch one vector.
/// Order   rank.
/// Valid   p >= 1; can be segmented.
/// Source  [hillis1986], "partial sums".

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  schedule::Builder builder(output_frame(p, 1), r);
  schedule::Slot const sum = schedule::blocks(0);
  schedule::Slot const below = r > 0 ? builder.scratch(sum) : sum;
  for (std::int64_t d = 1; d < p; d *= 2) {
    auto const distance = static_cast<int>(d);
    if (r >= d) {
      builder.recv(r - distance, below);
    }
    if (r + d < p) {
      builder.send(r + distance, sum);
    }
    if (r >= d) {
      // What was sent is replaced.
      builder.wait_for_sends().next_round(builder.round()).reduce(sum, below);
    }
    builder.next_round();
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const rounds = ceil_log2(request.num_ranks);
  return {
      .rounds = rounds,
      .messages = rounds,
      .blocks = rounds,
      .scratch = std::min(request.num_ranks - 1, 1),
      .volume = rounds,
      .reductions = rounds,
  };
}

}  // namespace

extern Algorithm const scan_recursive_doubling{
    .collective = Collective::scan,
    .name = "recursive_doubling",
    .summary = "every rank sends its sum to the rank 1, 2, 4, ... above it",
    .source = "hillis1986",
    .generate = generate,
    .facts = facts,
    .order = [](Request const&) { return OperandOrder::rank; },
    .segment_period = [](Request const& request
                      ) { return std::max(1, ceil_log2(request.num_ranks)); },
    .variants = [](Request const& request) -> std::vector<std::string> {
      return request.num_ranks > 33 ? std::vector<std::string>{""}
                                    : std::vector<std::string>{"", "[segments=4]"};
    },
    .phase_variants = {{.tried = Tried::in_groups}},
};

}  // namespace espalier::algorithms
