// SPDX-License-Identifier: Apache-2.0

/// @file
/// Orthogonal allreduce: first within rows of consecutive ranks, then between the rows, every rank
/// with those at its place in the other rows.
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         1:0(0)    0:0(1)    3:0(2)    2:0(3)
///     round 1         2:0(01)   3:0(01)   0:0(23)   1:0(23)
///
/// With rows=AxB.. rows are reduced the same way from rows of their own; sizes=AxB.. gives rows any
/// sizes. Ranks of a larger row that have no partner in the smallest one get the result from a rank
/// of their own row.
///
/// Rounds  inner(row size) + across(number of rows), and for each level with unequal rows
///         ceil(log2(ceil(largest row / smallest row))).
/// Bytes   those of inner and of across for the whole vector, and that vector for the others of an
///         unequal row.
/// Scratch what inner and across need, one after the other.
/// Order   rank if inner and across keep it: rows are runs of ranks, combined in their order.
/// Valid   p >= product of rows, and what inner and across accept.
/// Source  [kuehnemann2004]; unequal rows are ours.

#include "espalier/algorithms/composed/orthogonal.hpp"

#include <utility>

#include "espalier/base/integer.hpp"

namespace espalier::algorithms {
namespace {

constexpr std::string_view default_inner = "recursive_doubling";

Orthogonal phases_of(Request const& request) {
  return Orthogonal::parse(Collective::allreduce, request, default_inner);
}

Choice hand_on() {
  return Choice::parse("bcast/binomial");
}

/// The result for ranks of larger rows that have no partner: from the rank so many rows of the
/// smallest size before them.
Stage spread(Groups const& groups, std::size_t level, Choice const& bcast, int num_blocks) {
  std::vector<GroupShape> shapes{{.size = 1, .root = 0}};
  for (int const size : groups.run_sizes(level)) {
    Rows const rows = groups.cut({.begin = 0, .size = size}, level);
    shapes.push_back({.size = ceil_div(rows.largest(), rows.smallest()), .root = 0});
  }
  return stage_of_vector(bcast, std::move(shapes), num_blocks);
}

void append_spread(Phases& phases, Rows const& rows, Choice const& bcast, schedule::Slot vector) {
  int const rank = phases.builder().rank();
  RankRange const row = rows.row(rows.row_of(rank));
  int const place = rank - row.begin;
  int const first = row.begin + place % rows.smallest();
  phases.run({
      .algorithm = bcast,
      .num_ranks = ceil_div(row.end() - first, rows.smallest()),
      .rank = place / rows.smallest(),
      .rank_of = [first, &rows](int i) { return first + i * rows.smallest(); },
      .to = cut(vector, 1),
  });
}

int num_pieces(Request const& request) {
  return common_pieces(phases_of(request).stages_of_vector(0));
}

schedule::RankProgram generate(Request const& request, int rank) {
  Orthogonal const parts = phases_of(request);
  Choice const bcast = hand_on();
  int const num_blocks = num_pieces(request);
  schedule::Slot const vector = schedule::blocks(0, num_blocks);
  std::vector<Stage> const stages = parts.stages_of_vector(0, num_blocks);
  Standing const own(parts.groups, rank, 0);
  Phases phases(Collective::allreduce, output_frame(request.num_ranks, num_blocks), rank);
  Phase inner = own.inner(parts.inner);
  inner.to = cut(vector, parts.inner.num_pieces(inner.num_ranks));
  phases.run(inner);
  phases.advance(stages.back().num_rounds());
  for (std::size_t level = parts.groups.num_levels(); level-- > 0;) {
    Rows const& rows = own.levels()[level];
    if (rank - rows.row(rows.row_of(rank)).begin < rows.smallest()) {
      Phase across = own.between_counterparts(parts.across, level);
      across.to = cut(vector, parts.across.num_pieces(across.num_ranks));
      phases.run(across);
    }
    phases.advance(stages[level].num_rounds());
    if (!rows.are_equal()) {
      append_spread(phases, rows, bcast, vector);
    }
    phases.advance(spread(parts.groups, level, bcast, num_blocks).num_rounds());
  }
  return std::move(phases).finish();
}

std::vector<Stage> all_stages(Orthogonal const& parts, Choice const& bcast, int num_blocks) {
  std::vector<Stage> stages = parts.stages_of_vector(0, num_blocks);
  for (std::size_t level = 0; level < parts.groups.num_levels(); ++level) {
    if (parts.groups.has_unequal_rows(level)) {
      stages.push_back(spread(parts.groups, level, bcast, num_blocks));
    }
  }
  return stages;
}

Facts facts(Request const& request) {
  Orthogonal const parts = phases_of(request);
  Choice const bcast = hand_on();
  return with_counts(sum_of(all_stages(parts, bcast, num_pieces(request))), request, generate);
}

int num_rounds(Request const& request) {
  Orthogonal const parts = phases_of(request);
  Choice const bcast = hand_on();
  return sum_of_rounds(all_stages(parts, bcast, 1));
}

}  // namespace

extern Algorithm const allreduce_orthogonal{
    .collective = Collective::allreduce,
    .name = "orthogonal",
    .summary = "first within rows of consecutive ranks, then between rows",
    .source = "kuehnemann2004",
    .valid = "at least as many ranks as rows, and what inner and across accept",
    .parameters = orthogonal_parameters(default_inner),
    .refuses = [](Request const& request) { return phases_of(request).refuses(); },
    .generate = generate,
    .facts = facts,
    .rounds = num_rounds,
    .order = [](Request const& request
             ) { return weakest_order(phases_of(request).stages_of_vector(0)); },
    .num_pieces = num_pieces,
    .variants =
        [](Request const& request) {
          return layout_variants(
              request.num_ranks, "inner", Collective::allreduce, Tried::within_rows
          );
        },
};

}  // namespace espalier::algorithms
