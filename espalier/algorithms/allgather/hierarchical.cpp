// SPDX-License-Identifier: Apache-2.0

/// @file
/// Hierarchical allgather: every row of consecutive ranks runs an allgather, then the first ranks
/// of all rows exchange whole rows, and hand the other rows to their own.
///
///     blocks held, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                  0        1        2        3        4        5
///     after round 0          01       12       02       34       45       35
///     after round 1          012      012      012      345      345      345
///     after round 2          012345   012      012      012345   345      345
///     after round 3          012345   012      012345   012345   345      012345
///     after round 4          012345   012345   012345   012345   012345   012345
///
/// Rows are meant to be nodes: one rank of a node talks to other nodes. A gather to the leader
/// would be enough in the first phase, but then the last one would bring ranks what they have. With
/// rows=AxB.. or sizes and rows, leaders of the inner rows of a row do the same among themselves.
///
/// Rounds  up(row size) + across(number of rows) + down(row size).
/// Bytes   m (p - n) / p times what across and down send, by a leader; m = bytes of the gathered
///         result, n = row size.
/// Valid   p >= product of rows, and what up, across and down accept; blocks of any sizes.
/// Source  [karonis2000]; [kuehnemann2004] for the groups.

#include "espalier/algorithms/composed/hierarchical.hpp"

#include <utility>

namespace espalier::algorithms {
namespace {

constexpr std::string_view default_up = "allgather/bruck";
constexpr std::string_view default_across = "allgather/ring";
constexpr std::string_view default_down = "bcast/binomial";

Hierarchy hierarchy_of(Request const& request) {
  return Hierarchy::parse(request, default_up, default_across, default_down);
}

/// All blocks but those of a run.
schedule::Slot others(RankRange run, int num_blocks) {
  return schedule::blocks(run.end(), num_blocks - run.size);
}

/// Sizes of the runs of a level whose ranks get all blocks but their own; none if there are no
/// other.
std::vector<int> sizes_down(Groups const& groups, std::size_t level) {
  std::vector<int> sizes = groups.run_sizes(level);
  std::erase(sizes, groups.num_ranks);
  return sizes;
}

/// Phases with the number of blocks that each of theirs stands for, where that is always the same.
std::vector<Stage> stages_of(Hierarchy const& hierarchy) {
  Groups const& groups = hierarchy.groups;
  std::vector<std::size_t> const levels = hierarchy.levels();
  std::vector<Stage> result;
  for (Stage& stage : hierarchy.stages()) {
    std::size_t const level = levels[result.size()];
    bool const is_down = result.size() > groups.num_levels();
    bool const is_leaf = level == groups.num_levels();
    std::vector<int> const sizes =
        is_down ? sizes_down(groups, level) : groups.run_sizes(is_leaf ? level : level + 1);
    int const pieces = is_down ? hierarchy.down.num_pieces(stage.shapes[0].size) : 1;
    int const size = sizes.empty() ? 0
                     : is_down     ? groups.num_ranks - sizes[0]
                     : is_leaf     ? 1
                                   : sizes[0];
    stage.weight = sizes.size() != 1 || size % pieces != 0 ? 0 : size / pieces;
    if (sizes.empty()) {
      stage.shapes = {{.size = 1, .root = 0}};
    }
    result.push_back(std::move(stage));
  }
  return result;
}

std::string refuses(Request const& request) {
  Hierarchy const hierarchy = hierarchy_of(request);
  std::string reason = hierarchy.refuses();
  reason = reason.empty() ? refuses(stages_of(hierarchy)) : reason;
  for (std::size_t level = 1; reason.empty() && level <= hierarchy.groups.num_levels(); ++level) {
    for (int const size : sizes_down(hierarchy.groups, level)) {
      bool const is_leaf = level == hierarchy.groups.num_levels();
      int const num_ranks = is_leaf ? size : hierarchy.groups.num_rows[level];
      int const num_others = request.num_ranks - size;
      if (int const pieces = hierarchy.down.num_pieces(num_ranks); pieces > num_others) {
        return "down=" + std::string(hierarchy.down.algorithm().name) + " would cut " +
               std::to_string(num_others) + " blocks of other rows into " + std::to_string(pieces);
      }
    }
  }
  return reason;
}

schedule::RankProgram generate(Request const& request, int rank) {
  Hierarchy const hierarchy = hierarchy_of(request);
  std::vector<Stage> const stages = stages_of(hierarchy);
  std::vector<std::size_t> const levels = hierarchy.levels();
  int const p = request.num_ranks;
  Standing const own(hierarchy.groups, rank, 0);
  Phases phases(Collective::allgather, output_frame(p, p), rank);
  std::vector<std::optional<Phase>> mine = hierarchy.phases(own);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    bool const is_leaf = levels[i] == hierarchy.groups.num_levels();
    if (mine[i] && i > hierarchy.groups.num_levels()) {
      RankRange const run = is_leaf ? own.leaf() : own.levels()[levels[i]].whole();
      mine[i]->to = cut(others(run, p), hierarchy.down.num_pieces(mine[i]->num_ranks));
    } else if (mine[i] && is_leaf) {
      mine[i]->to = {schedule::blocks(own.leaf().begin), 1};
    } else if (mine[i]) {
      mine[i]->to = row_blocks(own.levels()[levels[i]]);
    }
    if (mine[i]) {
      phases.run(*mine[i]);
    }
    phases.advance(stages[i].num_rounds());
  }
  return std::move(phases).finish();
}

Facts facts(Request const& request) {
  return with_counts(sum_of(stages_of(hierarchy_of(request))), request, generate);
}

}  // namespace

extern Algorithm const allgather_hierarchical{
    .collective = Collective::allgather,
    .name = "hierarchical",
    .summary = "within rows, then between the leaders of rows, which hand the other rows back",
    .source = "karonis2000,kuehnemann2004",
    .valid = "at least as many ranks as rows, and what up, across and down accept",
    .parameters = hierarchical_parameters(default_up, default_across, default_down),
    .refuses = refuses,
    .generate = generate,
    .facts = facts,
    .rounds = [](Request const& request
              ) { return sum_of_rounds(stages_of(hierarchy_of(request))); },
    .variants =
        [](Request const& request) {
          return layout_variants(
              request.num_ranks, "across", Collective::allgather, Tried::between_rows
          );
        },
};

}  // namespace espalier::algorithms
