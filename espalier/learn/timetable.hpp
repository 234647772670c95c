// SPDX-License-Identifier: Apache-2.0

/// @file
/// Trials of calls that only start something. No rank may wait there for words of others: programs
/// may count on it that MPI_Iallreduce returns. So before a run begins it is fixed which call of a
/// communicator runs what, from what earlier runs found out, and what the trials of all ranks took
/// is put together when the run ends. Two rounds of a native call and two candidates, with trials
/// of two calls, of which the first one makes connections:
///
///     call   0 1 2 3   4 5   6 7   8 9   10 11   12 13   14 15   16 ...
///     runs   stands    native  1     2      1       2   native   stands
///     timed              x     x     x      x       x      x

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "espalier/learn/record.hpp"

namespace espalier::learn {

/// Which calls of a run are trials of which candidates of a Record: candidate 0 is the native call.
class Timetable {
public:
  /// What is known of the calls of a run before it begins.
  struct Circumstances {
    std::int64_t num_calls = 0;  ///< on a communicator, as many as in the last run
    double waiting_seconds = 0;  ///< that a program waits for a native call
    double budget = 0;           ///< seconds that trials may lose
  };

  struct Slot {
    int round = 0;
    int place = 0;  ///< of the candidate, in candidates()
    int candidate = 0;
    bool is_timed = false;
  };

  /// No trials.
  Timetable() = default;

  /// Trials of the candidates that are in and have a time, or of the best few of them that the
  /// budget is enough for. Where none has one, those that a model thinks best get one short round,
  /// or two if they are expected to lose nothing: nobody can stop them before the next run.
  [[nodiscard]] static Timetable of_trials(Record const& record, Circumstances const& known);
  /// Checks whether a candidate that runs is still faster than the native call. They take a small
  /// share of the calls; where there are few calls, there are none.
  [[nodiscard]] static Timetable of_checks(int candidate, std::int64_t num_calls);

  /// What a call is, counted from 0 on its communicator; none: what stands.
  [[nodiscard]] std::optional<Slot> at(std::int64_t call) const noexcept;

  /// The native call first, then those that are thought best.
  [[nodiscard]] std::span<int const> candidates() const noexcept { return candidates_; }

  [[nodiscard]] int num_rounds() const noexcept { return num_rounds_; }

  /// Seconds that all trials may lose.
  [[nodiscard]] double cost() const noexcept { return cost_; }

  [[nodiscard]] bool is_empty() const noexcept { return num_rounds_ == 0; }

  /// What is known after the run.
  /// @param seconds  of a call in each trial, of the rank that took longest; 0: it was not made.
  /// Those
  ///     of a round in the order of candidates(), round after round.
  [[nodiscard]] Record judge(Record const& before, std::span<double const> seconds) const;

  /// Whether checks found the native call faster.
  /// @param seconds  as in judge()
  [[nodiscard]] bool is_native_faster(std::span<double const> seconds) const;

private:
  [[nodiscard]] std::int64_t calls_of_trial() const noexcept { return warm_calls_ + timed_calls_; }

  [[nodiscard]] std::int64_t calls_of_round() const noexcept {
    return calls_of_trial() * std::ssize(candidates_);
  }

  /// Of the candidate whose turn it is.
  [[nodiscard]] int place_at(std::int64_t round, std::int64_t turn) const noexcept;
  [[nodiscard]] double cost_of_round(Record const& record, Circumstances const& known) const;
  /// As many rounds as budget and calls are enough for.
  void plan_rounds(Record const& record, Circumstances const& known, int most);

  std::vector<int> candidates_;
  std::int64_t first_call_ = 0;
  std::int64_t warm_calls_ = 0;  ///< of a trial, before those that are timed
  std::int64_t timed_calls_ = 1;
  int rounds_before_ = 0;  ///< in earlier runs
  int num_rounds_ = 0;
  double cost_ = 0;
};

}  // namespace espalier::learn
