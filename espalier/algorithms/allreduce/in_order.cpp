// SPDX-License-Identifier: Apache-2.0

/// @file
/// Allreduce in order: every rank collects all contributions to one piece, combines them from rank
/// 0 upwards, one after the other, and all gather the pieces.
///
///     sent, p = 4     rank 0       rank 1       rank 2       rank 3
///     round 0         1:1(0)       2:2(1)       3:3(2)       0:0(3)
///     round 1         2:2(0)       3:3(1)       0:0(2)       1:1(3)
///     round 2         3:3(0)       0:0(1)       1:1(2)       2:2(3)
///     round 3         3:0(0123)    0:1(0123)    1:2(0123)    2:3(0123)
///     round 4         2:01(0123)   3:12(0123)   0:23(0123)   1:30(0123)
///
/// The result has the same bits as that of a loop over the ranks: it does not depend on the
/// machine, the number of nodes or the number of pieces.
///
/// Rounds  p - 1 + those of the allgather; with bruck p - 1 + ceil(log2 p).
/// Bytes   2 m (p - 1) / p sent per rank, m = bytes of the vector.
/// Scratch m (p - 1) / p.
/// Order   left: ((0 op 1) op 2) op ...
/// Valid   what the allgather accepts; the vector is cut into p pieces.
/// Source  [thakur2005], "pairwise exchange", with the operator applied at the end.

#include "espalier/algorithms/allreduce/parts/sequence.hpp"

namespace espalier::algorithms {
namespace {

constexpr Parameter allgather_parameter{
    .name = "allgather",
    .type = Parameter::Type::algorithm,
    .fallback = "bruck",
    .collective = "allgather",
    .description = "algorithm of the second phase",
};

Sequence sequence(Request const& request) {
  return {
      .first = Choice::parse(Collective::reduce_scatter, "in_order"),
      .second = choice_for(request, allgather_parameter),
  };
}

}  // namespace

extern Algorithm const allreduce_in_order{
    .collective = Collective::allreduce,
    .name = "in_order",
    .summary = "the bits of a loop over the ranks: pieces are combined from rank 0 upwards",
    .source = "thakur2005",
    .valid = "what the allgather accepts",
    .parameters = {allgather_parameter},
    .refuses = [](Request const& request) { return sequence(request).refuses(request.num_ranks); },
    .generate = [](Request const& request,
                   int rank) { return sequence(request).generate(request.num_ranks, rank); },
    .facts = [](Request const& request) { return sequence(request).facts(request.num_ranks); },
    .rounds = [](Request const& request
              ) { return sequence(request).num_rounds(request.num_ranks); },
    .order = [](Request const&) { return OperandOrder::left; },
    .num_pieces = [](Request const& request) { return request.num_ranks; },
};

}  // namespace espalier::algorithms
