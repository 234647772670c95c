// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <mpi.h>

#include "espalier/learn/race.hpp"
#include "espalier/plan/clock.hpp"
#include "espalier/plan/learning/learning.hpp"
#include "espalier/profile/decision.hpp"

namespace espalier::plan {

/// A race on one communicator, with what its candidates run.
class Contest {
public:
  /// What the calls of a race have in common.
  struct Kind {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    profile::Call call = profile::Call::allgather;
    profile::Shape shape;
    std::int64_t bytes = 0;                         ///< of the first call
    std::vector<int> const* world_ranks = nullptr;  ///< as State::Facts::world_ranks
  };

  /// What a call runs.
  struct Turn {
    profile::Decision const* decision = nullptr;
    bool is_trial = false;
  };

  /// @param decision  what runs until something better is known. Not owned.
  Contest(Kind const& kind, profile::Decision const& decision);

  /// Of the call that comes. A trial is to be concluded.
  [[nodiscard]] Turn next() noexcept {
    learn::Race::Turn const turn = race_.next();
    return {
        .decision = decisions_[static_cast<std::size_t>(turn.candidate)],
        .is_trial = turn.is_trial,
    };
  }

  /// The call that next() said is a trial is over on this rank, well or not. Collective over the
  /// communicator of the call: one native reduction of three numbers, and once a broadcast.
  /// @param was_refused  the native call was made in place of the candidate
  /// @throws Error mpi.
  void conclude(Clock::time_point start, bool was_refused, Learning& learning);

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  void admit(Learning& learning);
  void add(algorithms::Choice choice);
  void note(Learning& learning) const;

  Kind kind_;
  learn::Race race_;
  std::deque<profile::Decision> own_;                ///< of candidates; their places do not change
  std::vector<profile::Decision const*> decisions_;  ///< of all candidates
};

}  // namespace espalier::plan
