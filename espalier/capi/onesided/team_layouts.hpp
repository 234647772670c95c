// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <vector>

#include "espalier/capi/onesided/team_call.hpp"
#include "espalier/exec/memory/layout.hpp"
#include "espalier/onesided/team/planned_collective.hpp"

namespace espalier::capi {

/// Where the blocks of all members lie in the buffers that a call names.
class TeamLayouts {
public:
  /// @param num_blocks  of the output of a program
  TeamLayouts(TeamCall const& call, TeamElements const& elements, int num_ranks, int num_blocks);

  /// Refers to this object.
  [[nodiscard]] onesided::UserBlocks of(int rank) const;

private:
  struct Member {
    exec::Layout output;
    std::optional<exec::Layout> input = std::nullopt;  ///< none: one block behind the other
  };

  void add_rooted(TeamCall const& call, TeamElements const& elements, int num_ranks);
  void add_exchange(UnevenBlocks const& blocks, std::int64_t extent_bytes, int num_pieces);

  /// The whole result; no blocks in an alltoall with uneven ones, which no member has as a whole.
  exec::Layout all_;
  /// By rank, where they differ.
  std::vector<Member> members_;
};

}  // namespace espalier::capi
