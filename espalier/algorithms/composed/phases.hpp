// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives made of phases: algorithms of the catalog, each among some of the ranks and on some
/// of the blocks. Orthogonal, hierarchical and multi-lane algorithms are lists of phases.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/composed/groups.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {

/// One phase, as one of the ranks that take part sees it.
struct Phase {
  Choice const& algorithm;
  int num_ranks = 1;  ///< that take part
  int rank = 0;       ///< place of the own rank among them
  int root = 0;
  std::function<int(int)> rank_of;
  /// Where the output blocks of the phase are.
  schedule::BlockMap to;
  /// Where the contribution is, by output block, or by input block of an alltoall. If missing it is
  /// where the results will be; otherwise what is read here is not written.
  schedule::BlockMap from{};
  /// Allgather: the root has all blocks already, nothing is sent to it.
  bool root_has_all = false;

  /// The same phase on these blocks.
  [[nodiscard]] Phase on(schedule::BlockMap results, schedule::BlockMap contribution = {}) const;
};

struct Stage;

/// Writes the program of one rank phase by phase.
class Phases {
public:
  Phases(Collective collective, schedule::Frame frame, int rank);

  [[nodiscard]] schedule::Builder& builder() noexcept { return builder_; }

  /// Appends a phase that begins in the current round.
  void run(Phase const& phase);
  /// The same with a signal for each message of a bcast; to is not looked at.
  void run_signals(Phase const& phase);
  /// The same in the opposite direction: from the leaves of its tree to the root.
  void run_signals_backwards(Phase const& phase);
  /// Appends a phase if the rank takes part in it; the next one begins when all others are done.
  void run_stage(Stage const& stage, bool takes_part, Phase const& phase);
  /// The next phase begins so many rounds later.
  void advance(int num_rounds);

  [[nodiscard]] schedule::RankProgram finish() &&;

private:
  void begin();
  void append_signals(schedule::RankProgram program, Phase const& phase);

  schedule::Builder builder_;
  bool rewrites_blocks_;
  int round_ = 0;
};

/// What all ranks know of a phase, for facts and for the rounds that it takes.
struct Stage {
  Choice const& algorithm;
  std::vector<GroupShape> shapes;  ///< of all groups of ranks that run it at the same time
  /// Blocks that stand for one of its blocks; 0: not always the same.
  std::int64_t weight = 0;

  [[nodiscard]] int num_rounds() const;
};

/// A phase on a vector of this many blocks.
[[nodiscard]] Stage
stage_of_vector(Choice const& algorithm, std::vector<GroupShape> shapes, int num_blocks);

[[nodiscard]] int sum_of_rounds(std::span<Stage const> stages);
/// Rounds, volume and reductions of phases that follow each other.
[[nodiscard]] Facts sum_of(std::span<Stage const> stages);
/// Completes facts by the most messages, blocks and scratch blocks of a rank, counted over all.
[[nodiscard]] Facts with_counts(
    Facts facts, Request const& request, schedule::RankProgram (*generate)(Request const&, int)
);
/// The weakest order of operands of all phases; at most rank order.
[[nodiscard]] OperandOrder weakest_order(std::span<Stage const> stages);
/// Into how many pieces a vector is cut so that all phases can cut it: the least common multiple of
/// theirs or, if that is large, a number of which each phase makes pieces that differ by a quarter.
[[nodiscard]] int common_pieces(std::span<Stage const> stages);
/// Empty if no phase refuses.
[[nodiscard]] std::string refuses(std::span<Stage const> stages);

/// Whether an allgather that accepts so many ranks uses scratch on any of them.
[[nodiscard]] bool uses_scratch(Choice const& allgather, int num_ranks);

/// The pieces of a run of blocks, nearly equal.
[[nodiscard]] schedule::BlockMap cut(schedule::Slot run, int num_pieces);

/// The output blocks of each row.
[[nodiscard]] schedule::BlockMap row_blocks(Rows const& rows);

/// Ranks of a run, by place.
[[nodiscard]] std::function<int(int)> members(RankRange run);
/// Ranks at the place of `representative` in all rows, or last in rows that are shorter.
[[nodiscard]] std::function<int(int)> counterparts(Rows const& rows, int representative);

}  // namespace espalier::algorithms
