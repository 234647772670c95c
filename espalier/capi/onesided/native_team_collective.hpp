// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <mpi.h>

#include "espalier/capi/onesided/native_line.hpp"
#include "espalier/capi/onesided/team_call.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"
#include "espalier/onesided/team/team_collective.hpp"
#include "espalier/plan/calls/calls.hpp"
#include "espalier/schedule/one_sided.hpp"

namespace espalier::capi {

/// A nonblocking call of MPI on the communicator of a team.
using NativeTeamCall = std::variant<
    plan::BarrierCall,
    plan::BcastCall,
    plan::ScatterCall,
    plan::ScattervCall,
    plan::GatherCall,
    plan::GathervCall,
    plan::ReduceCall,
    plan::AllreduceCall,
    plan::AllgatherCall,
    plan::AllgathervCall,
    plan::AlltoallCall,
    plan::AlltoallvCall>;

/// The nonblocking collective of the MPI library in place of a one-sided program. A buffer is then
/// touched by its owner alone, between the owner's start and the end of its run, so that
/// Sync::mysync and Sync::nosync are kept to; Sync::allsync takes a barrier of the library, before
/// the collective or behind it.
///
/// It needs no scratch space, and no address of others.
class NativeTeamCollective final : public onesided::TeamCollective {
public:
  /// Refers to the line, and keeps what the call refers to, but for buffers and the operator.
  /// @throws Error mpi.
  NativeTeamCollective(
      NativeLine& line, TeamCall call, schedule::Synchronization mode, int num_ranks, int rank
  );

  [[nodiscard]] std::optional<onesided::ScratchNeed> need() const noexcept override {
    return std::nullopt;
  }

  [[nodiscard]] std::unique_ptr<onesided::Runner>
  runner(onesided::Conduit& conduit, std::span<int const> members) const override;

private:
  NativeLine* line_;
  TeamCall call_;
  exec::MpiType type_;
  std::vector<NativeTeamCall> calls_;  ///< of a run, one after another
};

}  // namespace espalier::capi
