// SPDX-License-Identifier: Apache-2.0

/// @file
/// How a point is timed.
///
///     untimed repetitions                caches, connections, executors; how long things take
///     batch:    repetition  repetition  ...        no communication of ours in between
///     reduce:   slowest rank of every sample       once a batch; rank 0 decides whether to go on
///     batch ...
///
/// A repetition times every contender once, in a fresh order; each sample is
///
///     barrier | clock | call ... call | clock      local duration / number of calls
///
/// The calls of a sample are so many that it lasts 20 us and 100 clock steps, if so many are
/// allowed, and whole rounds of the roots if these are short. In simulation times repeat:
/// pace.warmup untimed repetitions and pace.min_repetitions that are timed are enough.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/pace.hpp"
#include "espalier/measure/common/repetition_order.hpp"
#include "espalier/measure/common/samples.hpp"

namespace espalier::measure {

/// What is timed, with its name in the plan; the first one of a point is the native call.
struct TimedCall {
  std::string name;
  /// Makes one call, `call` counts those of a sample. @return MPI_SUCCESS or the code of an error.
  std::function<int(int call)> run;
};

/// Timing loop of one point.
class Timer {
public:
  /// Refers to all but the pace.
  Timer(Job const& job, Pace const& pace, std::vector<TimedCall> const& timed_calls);

  /// Collective, once. @return the samples, complete on rank 0 only.
  /// @throws Error mpi
  Samples run();

  /// After run(), complete on rank 0 only; nothing unless the pace asks for it.
  [[nodiscard]] std::optional<Spread> const& spread() const noexcept { return spread_; }

  [[nodiscard]] int calls_per_sample() const noexcept { return calls_; }

private:
  void warm_up();
  Samples run_simulated();
  std::vector<double> repetitions(int count);
  /// Of each sample, on rank 0.
  std::vector<double> over_ranks(std::vector<double> times_us, MPI_Op op);
  void keep(Samples& samples, std::vector<double> const& times_us);
  double sample_us(TimedCall const& timed);
  [[nodiscard]] bool has_long_calls() const;
  [[nodiscard]] int next_batch(Samples const& samples) const;

  Job const* job_;
  Pace pace_;
  std::vector<TimedCall> const* timed_calls_;
  RepetitionOrder order_;
  Clock::time_point start_;
  std::optional<Spread> spread_;
  int calls_ = 1;
  double seconds_per_repetition_ = 0.0;
};

}  // namespace espalier::measure
