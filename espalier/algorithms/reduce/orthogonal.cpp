// SPDX-License-Identifier: Apache-2.0

/// @file
/// Orthogonal reduction: each row of consecutive ranks reduces to one of its ranks, these reduce to
/// the root. With rows of nodes this is the hierarchical reduction.
///
///     sent, p = 6     rank 0   rank 1   rank 2   rank 3     rank 4   rank 5
///     round 0         -        0:0(1)   -        -          3:0(4)   -
///     round 1         -        -        0:0(2)   -          -        3:0(5)
///     round 2         -        -        -        0:0(345)   -        -
///
/// A row is represented by the rank at the root's place in its row, or by its last rank if it is
/// shorter. With rows=AxB.. rows are reduced the same way from rows of their own; sizes=AxB.. gives
/// rows any sizes.
///
/// Rounds  inner(row size) + across(number of rows).
/// Bytes   m times what inner and across receive of a vector, by the root; m = bytes of the vector.
/// Scratch a vector on a rank that represents a row, and what inner and across need.
/// Order   rank if inner and across keep it: rows are runs of ranks, combined in their order.
/// Valid   p >= product of rows, and what inner and across accept; any root.
/// Source  [kuehnemann2004]; unequal rows are ours.

#include "espalier/algorithms/composed/orthogonal.hpp"

#include <utility>

namespace espalier::algorithms {
namespace {

constexpr std::string_view default_inner = "binomial";

Orthogonal phases_of(Request const& request) {
  return Orthogonal::parse(Collective::reduce, request, default_inner);
}

int num_pieces(Request const& request) {
  return common_pieces(phases_of(request).stages_of_vector(request.root));
}

schedule::RankProgram generate(Request const& request, int rank) {
  Orthogonal const parts = phases_of(request);
  int const num_blocks = num_pieces(request);
  std::vector<Stage> const stages = parts.stages_of_vector(request.root, num_blocks);
  Standing const own(parts.groups, rank, request.root);
  Phases phases(Collective::reduce, output_frame(request.num_ranks, num_blocks), rank);
  schedule::Slot const contribution = schedule::blocks(0, num_blocks);
  schedule::Slot const sum =
      own.keeps_others() ? phases.builder().scratch(contribution) : contribution;
  Phase inner = own.inner(parts.inner);
  inner.to = cut(sum, parts.inner.num_pieces(inner.num_ranks));
  if (own.keeps_others()) {
    inner.from = cut(contribution, parts.inner.num_pieces(inner.num_ranks));
  }
  phases.run(inner);
  phases.advance(stages.back().num_rounds());
  for (std::size_t level = parts.groups.num_levels(); level-- > 0;) {
    if (own.is_across(level)) {
      Phase across = own.across(parts.across, level);
      across.to = cut(sum, parts.across.num_pieces(across.num_ranks));
      phases.run(across);
    }
    phases.advance(stages[level].num_rounds());
  }
  return std::move(phases).finish();
}

}  // namespace

extern Algorithm const reduce_orthogonal{
    .collective = Collective::reduce,
    .name = "orthogonal",
    .summary = "first to one rank of every row of consecutive ranks, then from these to the root",
    .source = "kuehnemann2004",
    .valid = "at least as many ranks as rows, and what inner and across accept",
    .parameters = orthogonal_parameters(default_inner),
    .refuses = [](Request const& request) { return phases_of(request).refuses(request.root); },
    .generate = generate,
    .facts =
        [](Request const& request) {
          Orthogonal const parts = phases_of(request);
          return with_counts(
              sum_of(parts.stages_of_vector(request.root, num_pieces(request))), request, generate
          );
        },
    .rounds = [](Request const& request
              ) { return sum_of_rounds(phases_of(request).stages_of_vector(request.root)); },
    .order = [](Request const& request
             ) { return weakest_order(phases_of(request).stages_of_vector(request.root)); },
    .num_pieces = num_pieces,
    .variants =
        [](Request const& request) {
          return layout_variants(
              request.num_ranks, "inner", Collective::reduce, Tried::within_rows
          );
        },
};

}  // namespace espalier::algorithms
