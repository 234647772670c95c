// SPDX-License-Identifier: Apache-2.0

/// @file
/// Hierarchical barrier: every row of consecutive ranks signals its first rank, these leaders run a
/// barrier, and release their rows.
///
///     sent, p = 4     rank 0   rank 1   rank 2   rank 3
///     round 0         -        0        -        2
///     round 1         2        -        0        -
///     round 2         1        -        3        -
///
/// Rows are meant to be nodes. The signals of a row go where a broadcast has messages, first
/// backwards. With rows=AxB.. or sizes and rows, leaders of the inner rows of a row do the same
/// among themselves.
///
/// Rounds  2 down(row size) + across(number of rows).
/// Bytes   none.
/// Valid   p >= product of rows, and what across and down accept; down without scratch.
/// Source  [karonis2000]; [kuehnemann2004] for the groups.

#include "espalier/algorithms/composed/hierarchical.hpp"

#include <utility>

namespace espalier::algorithms {
namespace {

constexpr std::string_view default_across = "barrier/dissemination";
constexpr std::string_view default_down = "bcast/binomial";

/// Up is down backwards: the same rounds.
Hierarchy hierarchy_of(Request const& request) {
  Hierarchy hierarchy = Hierarchy::parse(request, default_down, default_across, default_down);
  hierarchy.up = hierarchy.down;
  return hierarchy;
}

/// Only blocks that are sent as they came have a way back.
std::string refuses(Request const& request) {
  Hierarchy const hierarchy = hierarchy_of(request);
  std::string reason = hierarchy.refuses();
  for (Stage const& stage : reason.empty() ? hierarchy.stages() : std::vector<Stage>()) {
    bool const has_signals = stage.algorithm.collective() == Collective::bcast;
    for (GroupShape const& shape : has_signals ? stage.shapes : std::vector<GroupShape>()) {
      if (stage.algorithm.facts(shape.size, shape.root).scratch > 0) {
        reason = "down=" + std::string(stage.algorithm.algorithm().name) + " uses scratch";
      }
    }
  }
  return reason;
}

schedule::RankProgram generate(Request const& request, int rank) {
  Hierarchy const hierarchy = hierarchy_of(request);
  std::vector<Stage> const stages = hierarchy.stages();
  std::vector<std::size_t> const levels = hierarchy.levels();
  Standing const own(hierarchy.groups, rank, 0);
  Phases phases(Collective::barrier, output_frame(request.num_ranks, 0), rank);
  std::vector<std::optional<Phase>> const mine = hierarchy.phases(own);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (mine[i] && i < hierarchy.groups.num_levels()) {
      phases.run_signals_backwards(*mine[i]);
    } else if (mine[i] && levels[i] == 0) {
      phases.run(*mine[i]);
    } else if (mine[i]) {
      phases.run_signals(*mine[i]);
    }
    phases.advance(stages[i].num_rounds());
  }
  return std::move(phases).finish();
}

Facts facts(Request const& request) {
  Hierarchy const hierarchy = hierarchy_of(request);
  Facts facts = with_counts(sum_of(hierarchy.stages()), request, generate);
  facts.volume = 0;
  return facts;
}

}  // namespace

extern Algorithm const barrier_hierarchical{
    .collective = Collective::barrier,
    .name = "hierarchical",
    .summary = "every row signals its leader, leaders run a barrier and release their rows",
    .source = "karonis2000,kuehnemann2004",
    .valid = "at least as many ranks as rows, and what across and down accept",
    .parameters = hierarchical_parameters({}, default_across, default_down),
    .refuses = refuses,
    .generate = generate,
    .facts = facts,
    .rounds = [](Request const& request) { return sum_of_rounds(hierarchy_of(request).stages()); },
    .variants =
        [](Request const& request) {
          return layout_variants(request.num_ranks, "down", Collective::bcast, Tried::as_signals);
        },
};

}  // namespace espalier::algorithms
