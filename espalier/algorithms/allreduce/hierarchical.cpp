// SPDX-License-Identifier: Apache-2.0

/// @file
/// Hierarchical allreduce: every row of consecutive ranks reduces to its first rank, these leaders
/// run an allreduce, and hand the result to their rows.
///
///     sent, p = 4     rank 0      rank 1   rank 2      rank 3
///     round 0         -           0:0(1)   -           2:0(3)
///     round 1         2:0(01)     -        0:0(23)     -
///     round 2         1:0(0123)   -        3:0(0123)   -
///
/// Rows are meant to be nodes: one rank of a node talks to other nodes. With rows=AxB.. or sizes
/// and rows, leaders of the inner rows of a row reduce to its leader and get the result from it.
///
/// Rounds  up(row size) + across(number of rows) + down(row size).
/// Bytes   those of up, across and down for the whole vector, by a leader.
/// Scratch what the phases need, one after the other.
/// Order   rank if up and across keep it: rows are runs of ranks and are combined in their order.
/// Valid   p >= product of rows, and what up, across and down accept.
/// Source  [karonis2000]; [kuehnemann2004] for the groups.

#include "espalier/algorithms/composed/hierarchical.hpp"

#include <utility>

namespace espalier::algorithms {
namespace {

constexpr std::string_view default_up = "reduce/binomial";
constexpr std::string_view default_across = "allreduce/recursive_doubling";
constexpr std::string_view default_down = "bcast/binomial";

/// The trees are seldom what makes it slow, and would be most of its candidates.
constexpr int most_trees = 2;

Hierarchy hierarchy_of(Request const& request) {
  return Hierarchy::parse(request, default_up, default_across, default_down);
}

int num_pieces(Request const& request) {
  return common_pieces(hierarchy_of(request).stages());
}

schedule::RankProgram generate(Request const& request, int rank) {
  Hierarchy const hierarchy = hierarchy_of(request);
  int const num_blocks = num_pieces(request);
  std::vector<Stage> const stages = hierarchy.stages(num_blocks);
  Standing const own(hierarchy.groups, rank, 0);
  Phases phases(Collective::allreduce, output_frame(request.num_ranks, num_blocks), rank);
  auto stage = stages.begin();
  for (std::optional<Phase>& phase : hierarchy.phases(own)) {
    if (phase) {
      int const num_pieces = phase->algorithm.num_pieces(phase->num_ranks);
      phase->to = cut(schedule::blocks(0, num_blocks), num_pieces);
      phases.run(*phase);
    }
    phases.advance(stage++->num_rounds());
  }
  return std::move(phases).finish();
}

Facts facts(Request const& request) {
  Hierarchy const hierarchy = hierarchy_of(request);
  return with_counts(sum_of(hierarchy.stages(num_pieces(request))), request, generate);
}

}  // namespace

extern Algorithm const allreduce_hierarchical{
    .collective = Collective::allreduce,
    .name = "hierarchical",
    .summary = "every row reduces to its leader, leaders run an allreduce and hand the result back",
    .source = "karonis2000,kuehnemann2004",
    .valid = "at least as many ranks as rows, and what up, across and down accept",
    .parameters = hierarchical_parameters(default_up, default_across, default_down, most_trees),
    .refuses = [](Request const& request) { return hierarchy_of(request).refuses(); },
    .generate = generate,
    .facts = facts,
    .rounds = [](Request const& request) { return sum_of_rounds(hierarchy_of(request).stages()); },
    .order = [](Request const& request) { return weakest_order(hierarchy_of(request).stages()); },
    .num_pieces = num_pieces,
    .variants =
        [](Request const& request) {
          return layout_variants(
              request.num_ranks, "across", Collective::allreduce, Tried::between_rows
          );
        },
};

}  // namespace espalier::algorithms
