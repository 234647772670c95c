// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/schedule/collective.hpp"

namespace espalier::cost {

/// The ranks in one object of a machine.
struct RankSet {
  int num_ranks = 0;
  int first = 0;  ///< the lowest of them
  int last = 0;   ///< the highest
  bool has_root = false;
};

/// The bytes that a collective cannot keep from crossing the border of a group.
struct Demand {
  double enter = 0;
  double leave = 0;
};

/// Let a group have k of p ranks, and b = num_bytes / p. If it has all of them nothing crosses its
/// border, else at least:
///
/// | collective | enters | leaves | because |
/// |---|---|---|---|
/// | barrier | 0 | 0 | signals are empty |
/// | bcast | all, without the root | all, with the root | who has nothing must get all of it |
/// | scatter | k b, without the root | (p - k) b, with it | each part has one origin and one place
/// | | gather | (p - k) b, with the root | k b, without it | the same | | reduce | all, with the
/// root | all, without it | sums of a group are as long as one vector | | allreduce | all | all |
/// the same, both ways | | reduce_scatter | k b | (p - k) b | sums of what the others add to its
/// parts, and back | | scan, exscan | all, if a lower rank is outside | all, if a higher one is |
/// the same as reduce | | allgather | (p - k) b | k b | nobody else has these parts | | alltoall |
/// k (p - k) b | k (p - k) b | each pair of ranks has a block of its own |
///
/// @param whole all ranks of the call.
/// @param num_bytes of the whole result (DESIGN.md, "Deciding").
[[nodiscard]] Demand demand(
    schedule::Collective collective, RankSet const& group, RankSet const& whole, double num_bytes
) noexcept;

/// Bytes that enter the groups, taken together, when no group may keep more than it must: above the
/// sum of demand() where a collective needs more than each group for itself. An allreduce among n
/// groups is gossip for each byte, which takes 2 (n - 1) messages one way; others 0.
/// @param num_groups among which all ranks are dealt.
[[nodiscard]] double
joint_demand(schedule::Collective collective, int num_groups, double num_bytes) noexcept;

/// True if news of one rank must reach all others: the root's, else of rank 0.
[[nodiscard]] bool spreads(schedule::Collective collective) noexcept;
/// True if one rank must have news of all others: the root, else the last rank.
[[nodiscard]] bool collects(schedule::Collective collective) noexcept;

}  // namespace espalier::cost
