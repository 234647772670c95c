// SPDX-License-Identifier: Apache-2.0

/// @file
/// Orthogonal gather: each row of consecutive ranks gathers to one of its ranks, these gather to
/// the root. With rows of nodes this is the hierarchical gather.
///
///     sent, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     round 0         -        0:1      -        -        3:4      -
///     round 1         -        -        0:2      -        -        3:5
///     round 2         -        -        -        0:345    -        -
///
/// A row is represented by the rank at the root's place in its row, or by its last rank if it is
/// shorter. With rows=AxB.. rows are gathered the same way from rows of their own; sizes=AxB..
/// gives rows any sizes.
///
/// Rounds  inner(row size) + across(number of rows).
/// Bytes   m (p - 1) / p received by the root, m = bytes of all parts.
/// Scratch the parts of its row on a rank that represents it, and what inner and across need.
/// Valid   p >= product of rows, and what inner and across accept; any root; parts of any sizes.
/// Source  [kuehnemann2004]; unequal rows are ours.

#include "espalier/algorithms/composed/orthogonal.hpp"

#include <utility>

namespace espalier::algorithms {
namespace {

constexpr std::string_view default_inner = "binomial";

Orthogonal phases_of(Request const& request) {
  return Orthogonal::parse(Collective::gather, request, default_inner);
}

schedule::RankProgram generate(Request const& request, int rank) {
  Orthogonal const parts = phases_of(request);
  std::vector<Stage> const stages = parts.stages_of_parts(request.root);
  Standing const own(parts.groups, rank, request.root);
  int const p = request.num_ranks;
  Phases phases(Collective::gather, output_frame(p, p), rank);
  schedule::Slot store;
  if (own.keeps_others()) {
    store = phases.builder().scratch(schedule::blocks(own.kept().begin, own.kept().size));
  }
  Phase inner = own.inner(parts.inner);
  inner.to = own.places_in_leaf(store);
  if (own.keeps_others()) {
    inner.from = {schedule::blocks(own.leaf().begin), 1};
  }
  phases.run(inner);
  phases.advance(stages.back().num_rounds());
  for (std::size_t level = parts.groups.num_levels(); level-- > 0;) {
    if (own.is_across(level)) {
      Phase across = own.across(parts.across, level);
      across.to = own.places_of_rows(level, store);
      phases.run(across);
    }
    phases.advance(stages[level].num_rounds());
  }
  return std::move(phases).finish();
}

}  // namespace

extern Algorithm const gather_orthogonal{
    .collective = Collective::gather,
    .name = "orthogonal",
    .summary = "first to one rank of every row of consecutive ranks, then from these to the root",
    .source = "kuehnemann2004",
    .valid = "at least as many ranks as rows, and what inner and across accept",
    .parameters = orthogonal_parameters(default_inner),
    .refuses = [](Request const& request) { return phases_of(request).refuses(request.root); },
    .generate = generate,
    .facts =
        [](Request const& request) {
          Facts const sum = sum_of(phases_of(request).stages_of_parts(request.root));
          return with_counts(sum, request, generate);
        },
    .rounds = [](Request const& request
              ) { return sum_of_rounds(phases_of(request).stages_of_parts(request.root)); },
    .variants =
        [](Request const& request) {
          return layout_variants(
              request.num_ranks, "inner", Collective::gather, Tried::within_rows
          );
        },
};

}  // namespace espalier::algorithms
