// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "espalier/capi/onesided/team_exchange.hpp"
#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/capi/onesided/team_planner.hpp"
#include "espalier/learn/turns.hpp"
#include "espalier/plan/clock.hpp"

namespace espalier::capi {

/// Takes turns among the best candidates in the calls of a program (learn::Turns): implicit tuning
/// of [nishtala2009], 9.5.
///
/// What counts is what a call costs its member: the time that it is in start, test and wait, so
/// that a candidate wins that leaves it free for its own work. Of OUT_ALLSYNC that is the time of
/// the member that came last, for whom nobody waited, so the smallest of all; of other modes, whose
/// members may leave early, the largest.
///
/// Members may find out that not all of them learn (LearnerRecord). Then nothing was exchanged, and
/// all calls ran what runs otherwise.
///
/// What members measured travels beside a call, and is needed one start later. That start waits for
/// the others to have made the one before. All members start the same in the same order, so what a
/// member waits for there needs nothing that it has not started.
class TeamLearner {
public:
  /// How many candidates there are beside what runs otherwise: few, as each is tried in calls that
  /// somebody waits for.
  static constexpr int most_candidates = 6;

  /// Local, and equal on all members. Refers to the team.
  /// @param current  what runs otherwise
  TeamLearner(espalier_team& team, TeamPlanner const& planner, TeamPlan const& current);
  TeamLearner(TeamLearner const&) = delete;
  TeamLearner& operator=(TeamLearner const&) = delete;
  TeamLearner(TeamLearner&&) = delete;
  TeamLearner& operator=(TeamLearner&&) = delete;
  ~TeamLearner() = default;

  /// What the next call runs. Starts an exchange beside it, or waits for one, at the same calls on
  /// all members. Waits before the first one until all members have made the first call.
  /// @param begin  of the record of the team: which start the first call was
  [[nodiscard]] std::shared_ptr<onesided::TeamCollective const> next(std::uint64_t begin);

  /// The member was in start, test or wait of the call that next() told of.
  void charge(plan::Clock::duration in_call) noexcept;

  /// Waits for what was started.
  void finish();

  /// A member that does not learn: no more calls may be told of.
  [[nodiscard]] std::optional<int> other() const noexcept { return other_; }

  /// What runs is known. No exchange is under way.
  [[nodiscard]] bool is_over() const noexcept { return turns_.is_over() && !is_exchanging_; }

  /// What runs from then on; with the origin `tuned` if it was decided by times.
  [[nodiscard]] TeamPlan winner() const;

private:
  void conclude();

  /// As the word by which the larger time counts, or the smaller one.
  [[nodiscard]] std::int64_t word_of(std::int64_t nanoseconds) const noexcept {
    return out_ == schedule::Sync::allsync ? -nanoseconds : nanoseconds;
  }

  espalier_team* team_;
  schedule::Sync out_;
  std::vector<TeamPlan> candidates_;
  TeamExchange exchange_;
  learn::Turns turns_;
  bool is_agreed_ = false;      ///< all members learn
  std::optional<int> other_;    ///< that does not
  bool is_timed_ = false;       ///< the call that was told of last
  bool is_exchanging_ = false;  ///< words are underway
  std::int64_t trial_ns_ = 0;   ///< of the last trial, on this member
  std::int64_t total_ns_ = 0;   ///< of all calls
  std::int64_t exchange_ns_ = 0;
};

}  // namespace espalier::capi
