// SPDX-License-Identifier: Apache-2.0

/// @file
/// Sparbit allgather: p binomial trees at once, one from each rank, with distances that halve while
/// the data double; so the largest messages go to the nearest rank.
///
///     blocks held, p = 5     rank 0   rank 1   rank 2   rank 3   rank 4
///     start                  0        1        2        3        4
///     after round 0          01       12       23       34       04
///     after round 1          013      124      023      134      024
///     after round 2          01234    01234    01234    01234    01234
///
/// After the round with distance d a rank holds every d-th block, downwards from its own: the next
/// round fills the gaps in the middle. Blocks stand at their final places from the start.
///
/// Parameter `batch`: a round's blocks go one by one (1, the paper's form), up to g in a message
/// (g), or all in one message (0).
///
/// Rounds  ceil(log2 p); p - 1 messages sent per rank with batch = 1, ceil(log2 p) with batch = 0.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the gathered result.
/// Valid   p >= 1; any datatype, blocks are never split; in place.
/// Source  [loch2021], "Sparbit"; batching as its note says.

#include <algorithm>
#include <bit>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

/// The largest power of two below p; 0 for p = 1.
int largest_distance(int p) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(p - 1)));
}

/// Blocks that each rank sends at distance d: half of the ceil(p / d) it holds afterwards, rounded
/// down. A block that is left out is the farthest: it would go round to a rank that has it, or that
/// gets it later from nearer.
int num_sent(int p, int d) {
  return (p + d - 1) / (2 * d);
}

int blocks_per_message(Request const& request) {
  int const batch = request.arguments.integer("batch", 1);
  return batch == 0 ? request.num_ranks : batch;
}

/// Calls visit(slot) for num_blocks blocks first, first - 2d, ... in messages of at most `limit`.
template <typename Visitor>
void for_each_message(int first, int d, int num_blocks, int limit, Visitor&& visit) {
  while (num_blocks > 0) {
    int const size = std::min(limit, num_blocks);
    visit(schedule::blocks(first, size, -2 * d));
    first -= 2 * d * size;
    num_blocks -= size;
  }
}

schedule::RankProgram generate(Request const& request, int r) {
  int const p = request.num_ranks;
  int const limit = blocks_per_message(request);
  schedule::Builder builder(output_frame(p, p), r);
  for (int d = largest_distance(p); d > 0; d /= 2) {
    int const below = wrap(r - d, p);
    int const above = wrap(std::int64_t{r} + d, p);
    int const num_blocks = num_sent(p, d);
    for_each_message(r - d, d, num_blocks, limit, [&](schedule::Slot const& slot) {
      builder.recv(below, slot);
    });
    for_each_message(r, d, num_blocks, limit, [&](schedule::Slot const& slot) {
      builder.send(above, slot);
    });
    builder.next_round();
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  Facts facts{.rounds = ceil_log2(p), .messages = 0, .blocks = p - 1, .volume = p - 1};
  for (int d = largest_distance(p); d > 0; d /= 2) {
    facts.messages += ceil_div(num_sent(p, d), blocks_per_message(request));
  }
  return facts;
}

}  // namespace

extern Algorithm const allgather_sparbit{
    .collective = Collective::allgather,
    .name = "sparbit",
    .summary = "p binomial trees at once; distances halve while data double",
    .source = "loch2021",
    .parameters = {{
        .name = "batch",
        .type = Parameter::Type::integer,
        .fallback = "1",
        .minimum = 0,
        .description = "most blocks in a message; 0: all of a round in one message",
    }},
    .generate = generate,
    .facts = facts,
    .variants = [](Request const& request) -> std::vector<std::string> {
      if (request.num_ranks < 4) {
        return {""};  // never more than one block a round
      }
      return {"", "[batch=2]", "[batch=0]"};
    },
    .phase_variants =
        {
            {.tried = Tried::within_rows, .arguments = "[batch=0]"},
            {.tried = Tried::in_pieces, .arguments = "[batch=0]", .most_ranks = 33},
        },
};

}  // namespace espalier::algorithms
