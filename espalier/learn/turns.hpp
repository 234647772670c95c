// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>

#include "espalier/learn/tournament.hpp"

namespace espalier::learn {

/// A Tournament whose runs are the calls of a program that takes turns among candidates, because it
/// asked for that. Candidate 0 is what it would run otherwise.
///
///     call   1 2 3 4 5   6 7 8 9 10  ...                      21 22 23 24 25
///     runs   0 0 0 0 0 | 0 0 0 0 0 | 0 0 0 0 0 0 0 0 0 0 0 | 1 1 1 1 0 | ...
///            trial   x   trial   x   pause                   trial   x
///
/// A trial is a few calls in a row, as ranks may run ahead of each other. The call behind it, x, is
/// one of the incumbent, beside which ranks exchange what the trial took: a program that starts
/// collectives and goes on is not held up by that, and its result is needed one call later.
///
/// What trials took longer than those of the incumbent on the average, and what exchanges cost, is
/// the loss. Before each trial come so many calls of the incumbent that the loss is no more than
/// `most_share` of the time of all calls, and in all it stays below `most_seconds`. A trial is
/// charged for after it was made, so one that is slower than was feared exceeds this, once.
///
/// A state machine without a clock: ranks that tell it the same numbers decide the same.
class Turns {
public:
  static constexpr int calls_of_trial = 4;
  static constexpr double most_share = 0.05;
  static constexpr double most_seconds = 0.25;
  /// What a candidate may take that was never timed, as a multiple of the incumbent's time.
  static constexpr double feared = 4;

  /// @throws Error argument if there is no candidate.
  explicit Turns(int num_candidates);

  /// What to do with a call.
  struct Turn {
    int candidate = Tournament::incumbent;
    bool is_timed = false;      ///< it is part of a trial
    bool is_exchanged = false;  ///< beside it, ranks exchange what the trial took
  };

  /// Of the call that comes next. One that was exchanged is followed by conclude().
  [[nodiscard]] Turn next();

  /// Seconds, the same on all ranks.
  struct Words {
    double trial = 0;     ///< of a call of the trial, on the average
    double exchange = 0;  ///< that the last exchange cost
    double total = 0;     ///< of all calls so far
  };

  void conclude(Words const& agreed);

  /// The winner is known, and runs from now on.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

  [[nodiscard]] int winner() const noexcept { return tournament_.winner(); }

  /// It did not end because there was nothing left to lose.
  [[nodiscard]] bool is_decided() const noexcept { return tournament_.is_decided(); }

  /// Seconds.
  [[nodiscard]] double lost() const noexcept { return exchanges_ + std::max(0.0, trials_); }

  [[nodiscard]] std::int64_t num_calls() const noexcept { return num_calls_; }

private:
  [[nodiscard]] bool is_too_risky() const;
  [[nodiscard]] std::int64_t pause(double total) const;

  /// Of the incumbent, on the average of its trials.
  [[nodiscard]] double base() const noexcept {
    return num_of_incumbent_ == 0 ? 0 : of_incumbent_ / num_of_incumbent_;
  }

  Tournament tournament_;
  std::int64_t num_calls_ = 0;
  std::int64_t trial_begin_ = 1;  ///< its first call
  // Seconds, of trials per call.
  double of_incumbent_ = 0;
  int num_of_incumbent_ = 0;
  double of_others_ = 0;  ///< of all calls of their trials
  std::int64_t num_of_others_ = 0;
  double exchanges_ = 0;
  double trials_ = 0;  ///< lost in those of others; below 0 if they are faster
  bool is_over_;
};

}  // namespace espalier::learn
