// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "espalier/learn/timetable.hpp"
#include "espalier/plan/learning/lesson.hpp"
#include "espalier/plan/learning/trials.hpp"
#include "espalier/plan/settings/completions.hpp"
#include "espalier/profile/decision.hpp"

namespace espalier::plan {

/// The trials of one kind of nonblocking calls in this run, on all communicators of their shape. A
/// call is timed from its start to its completion, with what the program does in between: what is
/// fastest alone may be slow beside the computation of a program.
class StartedTrials {
public:
  /// What a call runs.
  struct Turn {
    profile::Decision const* decision = nullptr;    ///< null: what stands
    std::shared_ptr<Completions> counts = nullptr;  ///< of its time; null: it is not timed
  };

  /// @param before  of earlier runs, with algorithms that serve the call
  /// @param checks  the timetable is that of checks
  /// @throws Error argument if there is no such algorithm.
  StartedTrials(Trials before, learn::Timetable timetable, bool checks);

  /// Of the call with that number on its communicator, from 0 on.
  [[nodiscard]] Turn turn(std::int64_t call) const;

  [[nodiscard]] std::size_t num_trials() const noexcept { return counts_.size(); }

  /// Seconds of a call in each trial, as this rank saw them; 0 if it was not made.
  void append_seconds(std::vector<double>& seconds) const;

  /// Seconds that trials cost, compared to native calls, as this rank saw them.
  [[nodiscard]] double lost() const;

  /// What is known now of calls that are not decided; none if these were checks.
  /// @param seconds  of the rank that took longest in each trial: of a reduction, others than the
  ///     root may be through at once
  [[nodiscard]] std::optional<Trials> trials(std::span<double const> seconds) const;
  /// What checks found; none if what runs stays.
  [[nodiscard]] std::optional<Lesson> lesson(std::span<double const> seconds) const;

private:
  Trials before_;
  learn::Timetable timetable_;
  bool checks_;
  std::vector<profile::Decision> decisions_;          ///< of all candidates
  std::vector<std::shared_ptr<Completions>> counts_;  ///< of all trials, round after round
};

}  // namespace espalier::plan
