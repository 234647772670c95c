// SPDX-License-Identifier: Apache-2.0

/// @file
/// Linear alltoall: every rank sends to all others, the next ranks first, and receives from all,
/// the ranks before it first; all at once, or a window of messages at a time.
///
///     sent, p = 4     rank 0           rank 1           rank 2           rank 3
///     round 0         1:01 2:02 3:03   2:12 3:13 0:10   3:23 0:20 1:21   0:30 1:31 2:32
///
/// Rounds  1, or ceil((p - 1) / w) with window = w: up to w messages of a rank each way are in
///         flight together, and the next w start when these have been sent and received.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of all its blocks.
/// Valid   p >= 1; blocks may have any sizes.
/// Source  [thakur2005], "irecv-isend" and its form in batches.

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/alltoall/parts/alltoall.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

/// At least 1.
int window_of(Request const& request) {
  int const window = request.arguments.integer("window", 0);
  int const all = std::max(1, request.num_ranks - 1);
  return window == 0 ? all : std::min(window, all);
}

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  int const window = window_of(request);
  schedule::Builder builder(schedule::alltoall_frame(p, r), r);
  copy_own_block(builder);
  for (int begin = 1; begin < p; begin += window) {
    int const end = std::min(begin + window, p);
    for (int d = begin; d < end; ++d) {
      int const below = wrap(r - d, p);
      builder.recv(below, schedule::blocks(below));
    }
    for (int d = begin; d < end; ++d) {
      int const above = wrap(std::int64_t{r} + d, p);
      builder.send(above, input_blocks(above));
    }
    builder.next_round().wait_for_sends();
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const others = request.num_ranks - 1;
  return {
      .rounds = ceil_div(others, window_of(request)),
      .messages = others,
      .blocks = others,
      .volume = others,
  };
}

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks <= 8) {
    return {"", "[window=2]"};
  }
  return request.num_ranks <= 32
             ? std::vector<std::string>{"", "[window=8]"}
             : std::vector<std::string>{"", "[window=1]", "[window=8]", "[window=32]"};
}

}  // namespace

extern Algorithm const alltoall_linear{
    .collective = Collective::alltoall,
    .name = "linear",
    .summary = "every rank sends to all others, all at once or a window of messages at a time",
    .source = "thakur2005",
    .parameters = {{
        .name = "window",
        .type = Parameter::Type::integer,
        .fallback = "0",
        .minimum = 0,
        .description = "most messages in flight from a rank; 0: all",
    }},
    .generate = generate,
    .facts = facts,
    .variants = variants,
    .phase_variants =
        {
            {.tried = Tried::in_groups, .turn = 2},
            {.tried = Tried::between_rows},
        },
};

}  // namespace espalier::algorithms
