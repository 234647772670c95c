// SPDX-License-Identifier: Apache-2.0

/// @file
/// Reduce-scatter-gather: partners at distance 1, 2, 4, ... exchange halves of what they still have
/// to sum, until everybody has one piece of the result; a binomial tree gathers the pieces.
///
///     sent, p = 4     rank 0    rank 1       rank 2      rank 3
///     round 0         1:23(0)   0:01(1)      3:23(2)     2:01(3)
///     round 1         2:1(01)   3:3(01)      0:0(23)     1:2(23)
///     round 2         -         -            0:1(0123)   1:3(0123)
///     round 3         -         0:23(0123)   -           -
///
/// The nearest partners exchange the largest halves, and what they combine are the sums of two
/// neighbouring runs of ranks. If p is no power of two, the first ranks meet in pairs and one of
/// each goes on for both: the root if it is in the pair.
///
/// Rounds  2 log2 q, q = the largest power of two up to p; one more if p > q.
/// Bytes   m (q - 1) / q + m / 2 sent at most, m = bytes of the vector, cut into q pieces.
/// Scratch one vector; two if p > q.
/// Order   rank, for any root.
/// Valid   p >= 1; any root.
/// Source  [rabenseifner2004], "recursive halving" and "binomial tree gather".

#include <cstdint>
#include <utility>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/reduce/parts/halving.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

/// Halves backwards, towards the root; what was sent or contributed is overwritten.
void append_gather(
    schedule::Builder& builder, Survivors const& all, int root, PieceLayout const& sum
) {
  int const q = all.size();
  int const number = all.number_of(builder.rank());
  int const apart = number ^ all.number_of(root);
  bool const is_root = builder.rank() == root;
  PieceLayout const result = is_root ? PieceLayout{.slot = schedule::blocks(0, q)} : sum;
  int const begin = builder.wait_for_sends().num_operations();
  for (int step = all.num_steps() - 1, round = builder.round(); step >= 0; --step, ++round) {
    int const partner = number ^ 1 << step;
    int const peer = all.rank_of(partner);
    if ((apart >> step & 1) != 0) {
      builder.next_round(round).send(peer, result.at(kept_pieces(q, number, step)));
      return;
    }
    builder.recv_ahead(round, peer, result.at(kept_pieces(q, partner, step)), begin);
  }
  if (q > 1) {  // only the root sends nothing
    schedule::BlockRun const own_piece = kept_pieces(q, number, all.num_steps() - 1);
    builder.copy(result.at(own_piece), sum.at(own_piece));
  }
}

schedule::RankProgram generate(Request const& request, int rank) {
  Survivors const all(request.num_ranks, request.root);
  schedule::Builder builder(output_frame(request.num_ranks, all.size()), rank);
  if (all.rank_of(all.number_of(rank)) == rank) {
    Halving halving(builder, all);
    halving.run();
    append_gather(builder, all, request.root, halving.sum());
  } else {
    builder.send(rank ^ 1, schedule::blocks(0, all.size()));
  }
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  Survivors const all(request.num_ranks, request.root);
  if (request.num_ranks == 1) {
    return {};
  }
  int const q = all.size();
  int const first = all.num_pairs() > 0 ? 1 : 0;
  return {
      .rounds = 2 * all.num_steps() + first,
      .messages = all.num_steps() + 1,
      .blocks = q - 1 + q / 2,
      .scratch = q + first * q,
      .volume = std::int64_t{2} * (q - 1) + first * q,
      .reductions = q - 1 + first * q,
  };
}

}  // namespace

extern Algorithm const reduce_reduce_scatter_gather{
    .collective = Collective::reduce,
    .name = "reduce_scatter_gather",
    .summary = "recursive halving with the nearest partners first, then a binomial gather",
    .source = "rabenseifner2004",
    .generate = generate,
    .facts = facts,
    .order = [](Request const&) { return OperandOrder::rank; },
    .num_pieces = [](Request const& request) { return Survivors(request.num_ranks, 0).size(); },
};

}  // namespace espalier::algorithms
