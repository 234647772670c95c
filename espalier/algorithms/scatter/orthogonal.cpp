// SPDX-License-Identifier: Apache-2.0

/// @file
/// Orthogonal scatter: the root scatters to one rank of each row of consecutive ranks, these
/// scatter within their rows. With rows of nodes this is the hierarchical scatter.
///
///     sent, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     round 0         3:345    -        -        -        -        -
///     round 1         2:2      -        -        5:5      -        -
///     round 2         1:1      -        -        4:4      -        -
///
/// A row is represented by the rank at the root's place in its row, or by its last rank if it is
/// shorter. With rows=AxB.. rows scatter the same way among rows of their own; sizes=AxB.. gives
/// rows any sizes.
///
/// Rounds  across(number of rows) + inner(row size).
/// Bytes   m (p - 1) / p sent by the root, m = bytes of all parts.
/// Scratch the parts of its row on a rank that represents it, and what inner and across need.
/// Valid   p >= product of rows, and what inner and across accept; any root; parts of any sizes.
/// Source  [kuehnemann2004]; unequal rows are ours.

#include "espalier/algorithms/composed/orthogonal.hpp"

#include <utility>

namespace espalier::algorithms {
namespace {

constexpr std::string_view default_inner = "binomial";

Orthogonal phases_of(Request const& request) {
  return Orthogonal::parse(Collective::scatter, request, default_inner);
}

schedule::RankProgram generate(Request const& request, int rank) {
  Orthogonal const parts = phases_of(request);
  std::vector<Stage> const stages = parts.stages_of_parts(request.root);
  Standing const own(parts.groups, rank, request.root);
  int const p = request.num_ranks;
  Phases phases(Collective::scatter, output_frame(p, p), rank);
  schedule::Slot store;
  if (own.keeps_others()) {
    store = phases.builder().scratch(schedule::blocks(own.kept().begin, own.kept().size));
  }
  for (std::size_t level = 0; level < parts.groups.num_levels(); ++level) {
    if (own.is_across(level)) {
      Phase across = own.across(parts.across, level);
      across.to = own.places_of_rows(level, store);
      phases.run(across);
    }
    phases.advance(stages[level].num_rounds());
  }
  Phase inner = own.inner(parts.inner);
  inner.to = {schedule::blocks(own.leaf().begin), 1};
  if (own.keeps_others()) {
    inner.from = own.places_in_leaf(store);
  }
  phases.run(inner);
  return std::move(phases).finish();
}

}  // namespace

extern Algorithm const scatter_orthogonal{
    .collective = Collective::scatter,
    .name = "orthogonal",
    .summary = "first to one rank of every row of consecutive ranks, then within the rows",
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
              request.num_ranks, "inner", Collective::scatter, Tried::within_rows
          );
        },
};

}  // namespace espalier::algorithms
