// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "espalier/capi/onesided/team_buffers.hpp"
#include "espalier/capi/onesided/team_exchange.hpp"
#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/capi/onesided/team_planner.hpp"
#include "espalier/capi/onesided/tuning_options.hpp"

namespace espalier::capi {

/// Finds out by trials what runs a request fastest, as learn::Tournament says.
///
///     member 0   exchange | start, meanwhile, wait |        exchange | start, ...
///     member 1   exchange | start, meanwhile, wait | waits  exchange | start, ...
///
/// A trial takes as long as on the member where it takes longest. The exchange that tells it, and
/// the longest time since the beginning, is also what lets all members begin the next trial
/// together. So the tournaments of all members are equal.
class TeamTuner {
public:
  /// Refers to all of these.
  TeamTuner(
      espalier_team& team,
      TeamPlanner const& planner,
      TeamBuffers const& buffers,
      TuningOptions const& options,
      TeamExchange& exchange
  );

  /// Collective; after an exchange of all members.
  /// @param current  what runs unless something is clearly faster, with its origin unless there was
  ///     time to find out
  /// @return what runs from now on, the same on all members.
  [[nodiscard]] TeamPlan run(TeamPlan const& current);

private:
  struct Candidate {
    SafeChoice choice;
    std::shared_ptr<onesided::PlannedCollective const> collective;
  };

  [[nodiscard]] std::vector<Candidate> candidates(TeamPlan const& current) const;
  /// Plans it, unless that was done. False if there is no scratch space for it.
  [[nodiscard]] bool can_run(Candidate& candidate) const;
  /// @return nanoseconds of this member.
  [[nodiscard]] std::int64_t trial(Candidate const& candidate) const;

  espalier_team* team_;
  TeamPlanner const* planner_;
  TeamBuffers const* buffers_;
  TuningOptions const* options_;
  TeamExchange* exchange_;
};

}  // namespace espalier::capi
