// SPDX-License-Identifier: Apache-2.0

/// @file
/// Circulant reduction: the circulant broadcast backwards; pieces follow each other along skips of
/// 1, ..., about p / 4, p / 2 ranks and are combined on the way.
///
///     sent, p = 5, pieces=2     rank 0   rank 1    rank 2   rank 3      rank 4
///     round 0                   -        -         4:0(2)   0:1(3)      1:1(4)
///     round 1                   -        4:0(1)    0:1(2)   -           -
///     round 2                   -        0:1(14)   -        -           3:0(124)
///     round 3                   -        -         -        0:0(1234)   -
///
/// A rank sends each piece once, and in a round at most one. No reduction of n pieces that sends
/// pieces whole takes fewer rounds.
///
/// Rounds  n - 1 + ceil(log2 p), n = number of pieces; 0 for p = 1.
/// Bytes   m sent per rank, m (n - 1 + ceil(log2 p)) / n received and combined by the root;
///         m = bytes of the vector.
/// Scratch m at most.
/// Order   any: commutative operators only.
/// Valid   p >= 1, n >= 2; any root.
/// Source  [traeff2024], "reduction".

#include <string>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/reduce/parts/reversed_bcast.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::algorithms {
namespace {

int num_pieces(Request const& request) {
  return request.arguments.integer("pieces", 8);
}

int num_rounds(Request const& request) {
  return request.num_ranks == 1 ? 0 : num_pieces(request) - 1 + ceil_log2(request.num_ranks);
}

schedule::RankProgram generate(Request const& request, int rank) {
  schedule::RankProgram const bcast = find(Collective::bcast, "circulant").generate(request, rank);
  return reversed_bcast(bcast, num_rounds(request), request.root);
}

Facts facts(Request const& request) {
  int const pieces = request.num_ranks == 1 ? 0 : num_pieces(request);
  // The root receives and combines in every round.
  int const rounds = num_rounds(request);
  return {
      .rounds = rounds,
      .messages = pieces,
      .blocks = pieces,
      .scratch = pieces,
      .volume = rounds,
      .reductions = rounds,
  };
}

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"[pieces=16]"};
  }
  return {"[pieces=5]", "[pieces=16]", "[pieces=64]"};
}

}  // namespace

extern Algorithm const reduce_circulant{
    .collective = Collective::reduce,
    .name = "circulant",
    .summary = "the circulant broadcast backwards: pieces are combined along skips of 1 .. p / 2",
    .source = "traeff2024",
    .parameters = {{
        .name = "pieces",
        .type = Parameter::Type::integer,
        .fallback = "8",
        .minimum = 2,
        .maximum = 65536,
        .description = "pieces that the vector is cut into",
    }},
    .generate = generate,
    .facts = facts,
    .num_pieces = num_pieces,
    .variants = variants,
};

}  // namespace espalier::algorithms
