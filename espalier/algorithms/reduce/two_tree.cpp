// SPDX-License-Identifier: Apache-2.0

/// @file
/// Two-tree reduction: the two-tree broadcast backwards; even pieces are combined up one binary
/// tree, odd ones up another, and a rank that combines in one tree is a leaf of the other.
///
///     sent, p = 5, pieces=2     rank 0   rank 1      rank 2      rank 3    rank 4
///     round 0                   -        -           -           4:1(3)    -
///     round 1                   -        -           1:1(2)      -         3:0(4)
///     round 2                   -        2:0(1)      -           -         1:1(34)
///     round 3                   -        0:1(1234)   -           2:0(34)   -
///     round 4                   -        -           0:0(1234)   -         -
///
/// A rank sends each piece once and receives about as much: half the pieces from two children.
///
/// Rounds  n + 2 floor(log2 s), n = number of pieces, s = the largest number below p that is 2
///         modulo 4; one more for p = 5, 6, 9, 10; n for p = 2, 0 for p = 1.
/// Bytes   m sent per rank, m = bytes of the vector.
/// Scratch m at most, if n is even.
/// Order   any: commutative operators only.
/// Valid   p >= 1, n >= 2; any root.
/// Source  [sanders2009].

#include "espalier/pattern/two_tree.hpp"

#include <string>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/reduce/parts/reversed_bcast.hpp"

namespace espalier::algorithms {
namespace {

int num_pieces(Request const& request) {
  return request.arguments.integer("pieces", 8);
}

int num_rounds(Request const& request) {
  return pattern::two_tree_rounds(request.num_ranks, num_pieces(request));
}

schedule::RankProgram generate(Request const& request, int rank) {
  schedule::RankProgram const bcast = find(Collective::bcast, "two_tree").generate(request, rank);
  return reversed_bcast(bcast, num_rounds(request), request.root);
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  int const pieces = p == 1 ? 0 : num_pieces(request);
  int const rounds = num_rounds(request);
  // From four ranks on some rank hears of half the pieces from two children.
  return {
      .rounds = rounds,
      .messages = pieces,
      .blocks = pieces,
      .scratch = p >= 4 ? (pieces + 1) / 2 * 2 : pieces,
      .volume = rounds,
      .reductions = rounds,
  };
}

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"[pieces=16]"};
  }
  return {"[pieces=5]", "[pieces=16]"};
}

}  // namespace

extern Algorithm const reduce_two_tree{
    .collective = Collective::reduce,
    .name = "two_tree",
    .summary =
        "even pieces are combined up one binary tree, odd ones up another; inner ranks of one "
        "are leaves of the other",
    .source = "sanders2009",
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
