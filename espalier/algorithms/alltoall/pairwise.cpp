// SPDX-License-Identifier: Apache-2.0

/// @file
/// Pairwise alltoall: in every round each rank swaps blocks with one other.
///
///     sent, p = 4     rank 0   rank 1   rank 2   rank 3
///     round 0         1:01     0:10     3:23     2:32
///     round 1         2:02     3:13     0:20     1:31
///     round 2         3:03     2:12     1:21     0:30
///
/// If p is a power of two, the partner in round k is rank xor (k + 1): two ranks swap. Otherwise a
/// rank sends to the one k + 1 above and receives from the one k + 1 below.
///
/// Rounds  p - 1.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of all its blocks.
/// Valid   p >= 1; blocks may have any sizes.
/// Source  [thakur2005], "pairwise exchange".

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/alltoall/parts/alltoall.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  schedule::Builder builder(schedule::alltoall_frame(p, r), r);
  copy_own_block(builder);
  for (int d = 1; d < p; ++d) {
    int const above = is_power_of_two(p) ? r ^ d : wrap(std::int64_t{r} + d, p);
    int const below = is_power_of_two(p) ? r ^ d : wrap(r - d, p);
    builder.recv(below, schedule::blocks(below));
    builder.send(above, input_blocks(above));
    builder.next_round();
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const others = request.num_ranks - 1;
  return {.rounds = others, .messages = others, .blocks = others, .volume = others};
}

}  // namespace

extern Algorithm const alltoall_pairwise{
    .collective = Collective::alltoall,
    .name = "pairwise",
    .summary = "in every round each rank swaps blocks with one other",
    .source = "thakur2005",
    .generate = generate,
    .facts = facts,
    .phase_variants = {{.tried = Tried::in_groups}},
};

}  // namespace espalier::algorithms
