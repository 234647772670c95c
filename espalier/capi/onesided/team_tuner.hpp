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
///     member 0   exchange | run, run, ... run |        exchange | run, ...
///     member 1   exchange | run, run, ... run | waits  exchange | run, ...
///
/// A trial is a few runs in a row, as in the loop of a program, where members may run ahead of each
/// other: a tree whose root need not wait for anybody may be slow from end to end, and serve a loop
/// best. Where the mode leaves it to the program that members meet between two runs, and where runs
/// take long, it is one run.
///
/// Candidates are the few that Guide takes for the fastest by the parameters of the team, which are
/// measured once, or all.
///
/// It takes as long as on the member where it takes longest. The exchange that tells it, and the
/// longest time since the beginning, is also what lets all members begin the next trial together.
/// So the tournaments of all members are equal.
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
  static constexpr int most_runs = 8;
  /// Trials, at least, that the time suffices for.
  static constexpr int most_trials = 400;

  struct Candidate {
    SafeChoice choice;
    std::shared_ptr<onesided::TeamCollective const> collective;
  };

  [[nodiscard]] std::vector<Candidate> candidates(TeamPlan const& current) const;
  /// Those that are tried beside what runs. Collective.
  [[nodiscard]] std::vector<SafeChoice> choices() const;
  /// Plans it, unless that was done. False if there is no scratch space for it.
  [[nodiscard]] bool can_run(Candidate& candidate) const;
  /// @return nanoseconds of a run, on this member.
  [[nodiscard]] std::int64_t trial(Candidate const& candidate) const;
  void run_once(Candidate const& candidate) const;
  /// @param run  nanoseconds, of the slowest member
  [[nodiscard]] int length_for(std::int64_t run) const;

  espalier_team* team_;
  TeamPlanner const* planner_;
  TeamBuffers const* buffers_;
  TuningOptions const* options_;
  TeamExchange* exchange_;
  int num_runs_ = 1;  ///< of a trial
};

}  // namespace espalier::capi
