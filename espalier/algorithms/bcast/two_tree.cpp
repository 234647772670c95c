// SPDX-License-Identifier: Apache-2.0

/// @file
/// Two-tree broadcast: even pieces go down one binary tree, odd ones down another, and a rank that
/// has children in one tree is a leaf of the other.
///
///     blocks held, p = 5, pieces=4     rank 0   rank 1   rank 2   rank 3   rank 4
///     start                            0123     -        -        -        -
///     after round 0                    0123     -        0        -        -
///     after round 1                    0123     1        0        0        -
///     after round 2                    0123     01       02       0        1
///     after round 3                    0123     013      012      02       01
///     after round 4                    0123     0123     012      012      013
///     after round 5                    0123     0123     0123     012      0123
///     after round 6                    0123     0123     0123     0123     0123
///
/// Both trees are below the root, which feeds them in turn. A piece follows the one before in its
/// tree two rounds later; a rank hears from one tree in even rounds, from the other in odd ones,
/// and so do its two children. So everybody sends and receives all the time, each about once the
/// message.
///
/// Rounds  n + 2 floor(log2 s), n = number of pieces, s = the largest number below p that is 2
///         modulo 4; one more for p = 5, 6, 9, 10; n for p = 2, 0 for p = 1.
/// Bytes   m sent per rank at most, if n is even; m = bytes of the message.
/// Valid   p >= 1, n >= 2; any root.
/// Source  [sanders2009]; colours of the edges and sizes that are not 2 modulo 4 are ours.

#include "espalier/pattern/two_tree.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_bcast.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

int num_pieces(Request const& request) {
  return request.arguments.integer("pieces", 8);
}

/// What a rank does in a round: at most one piece each way.
void append_round(
    schedule::Builder& builder, std::array<pattern::TreeNode, 2> const& nodes, int round
) {
  int const n = builder.frame().num_output_blocks;
  for (int tree = 0; tree < 2; ++tree) {
    // In the rounds of an edge the pieces of its tree follow each other.
    auto const piece_in = [&](int first_round) {
      int const late = round - first_round;
      return late >= 0 && late % 2 == 0 && late + tree < n ? late + tree : -1;
    };
    pattern::TreeNode const& node = nodes[static_cast<std::size_t>(tree)];
    if (int const piece = piece_in(node.parent_round); node.parent >= 0 && piece >= 0) {
      builder.recv(node.parent, schedule::blocks(piece));
    }
    for (pattern::TreeEdge const& edge : node.children) {
      if (int const piece = piece_in(edge.round); piece >= 0) {
        builder.send(edge.child, schedule::blocks(piece));
      }
    }
  }
}

schedule::RankProgram generate(Request const& request, int rank) {
  int const p = request.num_ranks;
  int const n = num_pieces(request);
  int const x = relative_rank(request, rank);
  std::array const nodes{pattern::two_tree_node(0, p, x), pattern::two_tree_node(1, p, x)};
  schedule::Builder builder(output_frame(p, n), x);
  for (int round = 0; round < pattern::two_tree_rounds(p, n); ++round) {
    append_round(builder.next_round(round), nodes, round);
  }
  return schedule::rotate(std::move(builder).finish(), request.root);
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  int const n = num_pieces(request);
  // From four ranks on some rank has two children.
  int const most = p >= 4 ? (n + 1) / 2 * 2 : (p >= 2 ? n : 0);
  int const rounds = pattern::two_tree_rounds(p, n);
  return {.rounds = rounds, .messages = most, .blocks = most, .volume = rounds};
}

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"[pieces=16]"};
  }
  return {"[pieces=5]", "[pieces=16]"};
}

}  // namespace

extern Algorithm const bcast_two_tree{
    .collective = Collective::bcast,
    .name = "two_tree",
    .summary = "even pieces go down one binary tree, odd ones down another; inner ranks of one are "
               "leaves of the other",
    .source = "sanders2009",
    .parameters = {{
        .name = "pieces",
        .type = Parameter::Type::integer,
        .fallback = "8",
        .minimum = 2,
        .maximum = 65536,
        .description = "pieces that the message is cut into",
    }},
    .generate = generate,
    .facts = facts,
    .num_pieces = num_pieces,
    .variants = variants,
};

}  // namespace espalier::algorithms
