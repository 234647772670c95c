// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/capi/onesided/team_call.hpp"
#include "espalier/exec/memory/layout.hpp"
#include "espalier/onesided/team/planned_collective.hpp"

namespace espalier::capi {

/// Where the output blocks of all members lie in the buffers that a call names.
class TeamLayouts {
public:
  /// @param num_blocks  of the output of a program
  TeamLayouts(TeamCall const& call, TeamElements const& elements, int num_ranks, int num_blocks);

  /// Refers to this object.
  [[nodiscard]] onesided::OutputBlocks of(int rank) const;

private:
  exec::Layout all_;
  /// By rank, where members have some of the blocks only.
  std::vector<exec::Layout> own_;
};

}  // namespace espalier::capi
