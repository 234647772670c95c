// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/mpi/own_communicator.hpp"

namespace espalier::capi {

/// The order in which a member of a team makes calls of the MPI library, which is the same on all
/// members. A run is up to three calls, of which each begins when the one before is over:
///
///     run 1   barrier  bcast  barrier
///     run 2                           bcast
///     run 3                           bcast
///     run 4                           barrier  reduce
///
/// Calls of a run begin when the last call of the run before has begun. So runs of one call are
/// under way together, and what waits for all members holds up those behind it.
class NativeLine {
public:
  class Run {
  public:
    /// Begins what can begin. True when the last call has begun.
    virtual bool begin_calls() = 0;

  protected:
    Run() = default;
    Run(Run const&) = default;
    Run(Run&&) = default;
    Run& operator=(Run const&) = default;
    Run& operator=(Run&&) = default;
    ~Run() = default;
  };

  /// @param comm  of the members of the team, in their order, for these calls alone
  explicit NativeLine(mpi::OwnCommunicator comm) : comm_(std::move(comm)) {}

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_.get(); }

  /// Refers to the run until its last call has begun.
  void join(Run& run) { waiting_.push_back(&run); }

  void move_on();

private:
  mpi::OwnCommunicator comm_;
  std::vector<Run*> waiting_;  ///< the first has begun
};

}  // namespace espalier::capi
