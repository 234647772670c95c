// SPDX-License-Identifier: Apache-2.0

/// @file
/// The course of one step: what the leader of a set lets its ranks do next.
///
///     one untimed repetition, up to three      connections, caches; how long things take
///     batch of repetitions, batch ...          until precise, or the limits are reached

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace espalier::measure::probe {

/// When a step ends.
struct Limits {
  double seconds = 0.5;
  int min_repetitions = 20;
  int max_repetitions = 1000;
  double precision = 0.05;
  std::optional<double> spread;
  double shortest_sample_us = 0.0;  ///< a sample is so many calls that it lasts this long
};

/// What all ranks of the set do next; no repetitions: the step is over.
struct Batch {
  int calls = 1;    ///< in a sample
  int untimed = 0;  ///< repetitions before those that count
  int repetitions = 0;
};

/// Samples of a step, and the decisions that follow from them. Knows no clock: the caller says how
/// much time has passed.
class Course {
public:
  Course(Limits const& limits, std::size_t num_pairs);

  /// @param seconds_used since the begin of the step.
  [[nodiscard]] Batch next(double seconds_used);

  /// Adds what the last batch brought.
  /// @param times_us by pair, one a repetition.
  void add(std::vector<std::vector<double>> const& times_us);

  [[nodiscard]] int calls_per_sample() const noexcept { return calls_; }

  [[nodiscard]] std::size_t num_repetitions() const noexcept { return times_us_.front().size(); }

  [[nodiscard]] std::size_t num_pairs() const noexcept { return times_us_.size(); }

  [[nodiscard]] std::span<double const> times_us(std::size_t pair) const { return times_us_[pair]; }

  /// Of every repetition, the time of its slowest pair.
  [[nodiscard]] std::vector<double> slowest_us() const;

  /// True if the rule was met, false if a limit ended the step.
  [[nodiscard]] bool has_converged() const noexcept { return has_converged_; }

private:
  [[nodiscard]] bool is_warm(double seconds_used) const;
  [[nodiscard]] bool is_precise() const;
  [[nodiscard]] int next_batch(double seconds_used) const;

  Limits limits_;
  std::vector<std::vector<double>> times_us_;
  int num_warmups_ = 0;
  bool is_warming_ = true;
  bool has_converged_ = false;
  int calls_ = 1;
  int last_repetitions_ = 0;
  double seconds_at_last_order_ = 0.0;
  double seconds_per_repetition_ = 0.0;
  double fastest_call_us_ = 0.0;
};

}  // namespace espalier::measure::probe
