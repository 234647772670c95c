// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <vector>

#include "espalier/measure/common/job.hpp"

namespace espalier::measure {

/// The ranks that measure together, and those of them on whose communicator a rank makes its calls.
struct Teams {
  Job all;
  Job own;

  /// Collective over job.comm: teams that are groups of its ranks, which have no rank in common, in
  /// their order. Without groups all ranks are one team, and no communicator is made.
  /// @return none on ranks that are in no group.
  /// @throws Error argument on all ranks if the job has no such rank; mpi.
  static std::optional<Teams> split(Job const& job, std::vector<std::vector<int>> const& groups);

  /// Collective over the ranks of `all`, if split() had groups.
  void finish(Job const& job) noexcept;
};

}  // namespace espalier::measure
