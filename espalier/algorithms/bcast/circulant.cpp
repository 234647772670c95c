// SPDX-License-Identifier: Apache-2.0

/// @file
/// Circulant broadcast: pieces follow each other along skips of about p / 2, p / 4, ..., 1 ranks;
/// after log2 p rounds every rank gets a new piece in every round.
///
///     blocks held, p = 5, pieces=3     rank 0   rank 1   rank 2   rank 3   rank 4
///     start                            012      -        -        -        -
///     after round 0                    012      -        0        -        -
///     after round 1                    012      -        0        1        -
///     after round 2                    012      2        0        01       1
///     after round 3                    012      12       02       01       01
///     after round 4                    012      012      012      012      012
///
/// In round i all ranks use the same skip: rank r sends to r + s_k and receives from r - s_k, where
/// k is i modulo q = ceil(log2 p), plus a constant that makes the last skip the largest. No
/// broadcast of n pieces takes fewer rounds. Each rank knows its pieces without asking the others.
///
/// Rounds  n - 1 + ceil(log2 p), n = number of pieces; 0 for p = 1.
/// Bytes   m (n - 1 + ceil(log2 p)) / n sent by the root, m = bytes of the message; m received.
/// Valid   p >= 1, n >= 1; any root.
/// Source  [traeff2024], "broadcast".

#include "espalier/pattern/circulant.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_bcast.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

int num_pieces(Request const& request) {
  return request.arguments.integer("pieces", 8);
}

int num_rounds(Request const& request) {
  int const p = request.num_ranks;
  return p == 1 ? 0 : num_pieces(request) - 1 + ceil_log2(p);
}

schedule::RankProgram generate(Request const& request, int rank) {
  int const p = request.num_ranks;
  int const n = num_pieces(request);
  int const q = ceil_log2(p);
  int const r = relative_rank(request, rank);
  std::vector<int> const skips = pattern::circulant_skips(p);
  std::vector<int> const received = pattern::circulant_received(skips, r);
  std::vector<int> const sent = pattern::circulant_sent(skips, r);
  schedule::Builder builder(output_frame(p, n), r);
  // Whole phases of q rounds; the first rounds of the first phase may be missing.
  int const num_missing = p == 1 ? 0 : wrap(1 - n, q);
  for (int round = 0; round < num_rounds(request); ++round) {
    int const phase = (round + num_missing) / q;
    auto const k = static_cast<std::size_t>(round + num_missing - phase * q);
    int const first = phase * q - num_missing;
    int const from = wrap(r - skips[k], p);
    int const to = wrap(std::int64_t{r} + skips[k], p);
    builder.next_round(round);
    if (int const piece = first + received[k]; r != 0 && piece >= 0) {
      builder.recv(from, schedule::blocks(std::min(piece, n - 1)));
    }
    if (int const piece = first + sent[k]; to != 0 && piece >= 0) {
      builder.send(to, schedule::blocks(std::min(piece, n - 1)));
    }
  }
  return schedule::rotate(std::move(builder).finish(), request.root);
}

Facts facts(Request const& request) {
  // The root sends in every round.
  int const rounds = num_rounds(request);
  return {.rounds = rounds, .messages = rounds, .blocks = rounds, .volume = rounds};
}

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"[pieces=16]"};
  }
  return {"[pieces=5]", "[pieces=16]", "[pieces=64]"};
}

}  // namespace

extern Algorithm const bcast_circulant{
    .collective = Collective::bcast,
    .name = "circulant",
    .summary = "pieces follow each other along skips; after log2 p rounds every rank gets a new "
               "piece in every round",
    .source = "traeff2024",
    .parameters = {{
        .name = "pieces",
        .type = Parameter::Type::integer,
        .fallback = "8",
        .maximum = 65536,
        .description = "pieces that the message is cut into",
    }},
    .generate = generate,
    .facts = facts,
    .num_pieces = num_pieces,
    .variants = variants,
};

}  // namespace espalier::algorithms
