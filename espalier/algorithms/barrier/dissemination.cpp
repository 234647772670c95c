// SPDX-License-Identifier: Apache-2.0

/// @file
/// Dissemination barrier: in round i every rank signals the k - 1 ranks at distances k^i, 2 k^i,
/// ... beyond it; what a rank knows of grows k times in a round.
///
///     sent, p = 5     rank 0   rank 1   rank 2   rank 3   rank 4
///     round 0         1        2        3        4        0
///     round 1         2        3        4        0        1
///     round 2         4        0        1        2        3
///
/// Signals of a round are under way together.
///
/// Rounds  ceil(log_k p).
/// Bytes   none; a rank sends (k - 1) (ceil(log_k p) - 1) + floor((p - 1) / k^(ceil(log_k p) - 1))
///         signals.
/// Valid   p >= 1, k >= 2.
/// Source  [hensgen1988]; other radices as in [nishtala2009].

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
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
  schedule::Builder builder(output_frame(p, 0), r);
  for (std::int64_t distance = 1; distance < p; distance *= k) {
    for (int j = 1; j < k && j * distance < p; ++j) {
      builder.recv_signal(wrap(r - j * distance, p));
      builder.send_signal(wrap(r + j * distance, p));
    }
    builder.next_round();
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  int const k = radix(request);
  std::int64_t messages = 0;
  for (std::int64_t distance = 1; distance < p; distance *= k) {
    messages += std::min<std::int64_t>(k - 1, (p - 1) / distance);
  }
  return {.rounds = ceil_log(k, p), .messages = messages, .volume = 0};
}

std::vector<std::string> variants(Request const& request) {
  std::vector<std::string> result{"[k=2]"};
  for (int const k : {3, 4, 8}) {
    if (k <= request.num_ranks && (k == 4 || request.num_ranks <= 33)) {
      result.push_back("[k=" + std::to_string(k) + "]");
    }
  }
  return result;
}

}  // namespace

extern Algorithm const barrier_dissemination{
    .collective = Collective::barrier,
    .name = "dissemination",
    .summary = "in every round each rank signals the k - 1 ranks at distances 1, k, k^2, ... and "
               "their multiples",
    .source = "hensgen1988,nishtala2009",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "2",
        .minimum = 2,
        .description = "ranks that a rank knows of become k times as many in a round",
    }},
    .generate = generate,
    .facts = facts,
    .variants = variants,
    .phase_variants =
        {
            {.tried = Tried::in_groups, .arguments = "[k=2]"},
            {.tried = Tried::in_groups, .arguments = "[k=4]"},
            {.tried = Tried::in_groups, .arguments = "[k=8]"},
        },
};

}  // namespace espalier::algorithms
