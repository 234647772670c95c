// SPDX-License-Identifier: Apache-2.0

/// @file
/// Recursive doubling barrier: ranks at distance 1, 2, 4, ... signal each other; ranks beyond the
/// largest power of two report to a partner before and hear from it after.
///
///     sent, p = 5     rank 0   rank 1   rank 2   rank 3   rank 4
///     round 0         -        -        -        -        0
///     round 1         1        0        3        2        -
///     round 2         2        3        0        1        -
///     round 3         4        -        -        -        -
///
/// Partners are the same in both directions, unlike in dissemination: within a node of a power of
/// two of ranks the first rounds stay there.
///
/// Rounds  log2 p for powers of two, otherwise floor(log2 p) + 2.
/// Bytes   none; a rank sends at most floor(log2 p) + 1 signals, or log2 p for powers of two.
/// Valid   p >= 1.
/// Source  [thakur2005], "recursive doubling".

#include <bit>
#include <utility>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  // Ranks beyond the largest power of two report in round 0 and hear in the last one.
  auto const core = static_cast<int>(std::bit_floor(static_cast<unsigned>(p)));
  int const last_round = floor_log2(p) + 1;
  schedule::Builder builder(output_frame(p, 0), r);
  if (r >= core) {
    builder.send_signal(r - core);
    builder.next_round(last_round).recv_signal(r - core);
    return std::move(builder).finish();
  }
  bool const has_partner = r + core < p;
  if (has_partner) {
    builder.recv_signal(r + core);
  }
  builder.next_round(core == p ? 0 : 1);
  for (int distance = 1; distance < core; distance *= 2) {
    builder.recv_signal(r ^ distance).send_signal(r ^ distance).next_round();
  }
  if (has_partner) {
    builder.next_round(last_round).send_signal(r + core);
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  bool const is_power = is_power_of_two(p);
  return {
      .rounds = floor_log2(p) + (is_power ? 0 : 2),
      .messages = floor_log2(p) + (is_power ? 0 : 1),
      .volume = 0,
  };
}

}  // namespace

extern Algorithm const barrier_recursive_doubling{
    .collective = Collective::barrier,
    .name = "recursive_doubling",
    .summary = "ranks at distance 1, 2, 4, ... signal each other; surplus ranks wait at a partner",
    .source = "thakur2005",
    .generate = generate,
    .facts = facts,
};

}  // namespace espalier::algorithms
