// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/timer.hpp"

#include <algorithm>

#include "espalier/measure/common/own_collectives.hpp"
#include "espalier/measure/common/start_barrier.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

constexpr double shortest_sample_us = 20.0;
constexpr double fewest_clock_steps = 100.0;
/// Done even if the time of the point does not suffice: fewer would say nothing at all.
constexpr int fewest_repetitions = 3;
constexpr int first_batch = 20;
/// Share of a point's time that untimed repetitions may take.
constexpr double warmup_share = 0.2;
constexpr double seconds_of_long_call = 5e-3;

}  // namespace

Timer::Timer(Job const& job, Pace const& pace, std::vector<TimedCall> const& timed_calls)
    : job_(&job), pace_(pace), timed_calls_(&timed_calls), order_(pace.seed, timed_calls.size()),
      start_(Clock::now()) {
  if (pace.spread) {
    spread_ = Spread{.fastest = Samples(timed_calls.size()), .mean = Samples(timed_calls.size())};
  }
}

double Timer::sample_us(TimedCall const& timed) {
  mpi::require_success(start_barrier(job_->comm), "barrier");
  auto const start = Clock::now();
  int code = MPI_SUCCESS;
  for (int i = 0; i < calls_ && code == MPI_SUCCESS; ++i) {
    code = timed.run(i);
  }
  double const seconds = seconds_since(start);
  mpi::require_success(code, "the measured call");
  return seconds * 1e6 / calls_;
}

std::vector<double> Timer::repetitions(int count) {
  std::size_t const width = timed_calls_->size();
  std::vector<double> times_us(width * static_cast<std::size_t>(count));
  for (std::size_t first = 0; first < times_us.size(); first += width) {
    for (std::size_t const i : order_.next()) {
      times_us[first + i] = sample_us((*timed_calls_)[i]);
    }
  }
  return times_us;
}

std::vector<double> Timer::over_ranks(std::vector<double> times_us, MPI_Op op) {
  combine(times_us.data(), static_cast<int>(times_us.size()), MPI_DOUBLE, op, job_->comm);
  return times_us;
}

void Timer::keep(Samples& samples, std::vector<double> const& times_us) {
  samples.append(over_ranks(times_us, MPI_MAX));
  if (!spread_) {
    return;
  }
  spread_->fastest.append(over_ranks(times_us, MPI_MIN));
  std::vector<double> mean_us = over_ranks(times_us, MPI_SUM);
  for (double& mean : mean_us) {
    mean /= job_->num_ranks;
  }
  spread_->mean.append(mean_us);
}

/// Runs everything untimed, and finds out how many calls make a sample. Once is enough if calls are
/// long.
void Timer::warm_up() {
  auto const first_begin = Clock::now();
  std::vector<double> const first = over_ranks(repetitions(1), MPI_MAX);
  seconds_per_repetition_ = seconds_since(first_begin);
  double const fastest = *std::min_element(first.begin(), first.end());
  double const clear_us = std::max(shortest_sample_us, fewest_clock_steps * clock_resolution_us());
  calls_ = from_rank_0(*job_, calls_of_sample(pace_, fastest, clear_us));
  for (int done = 1; done < std::max(2, pace_.warmup); ++done) {
    bool const is_needed = done == 1 && !has_long_calls();
    bool const is_enough =
        seconds_since(start_) + seconds_per_repetition_ > warmup_share * pace_.seconds;
    if (from_rank_0(*job_, is_enough && !is_needed ? 1 : 0) == 1) {
      return;
    }
    auto const begin = Clock::now();
    static_cast<void>(repetitions(1));
    seconds_per_repetition_ = seconds_since(begin);
  }
}

/// A call before them, or cold memory, does not matter. Known after the first repetition.
bool Timer::has_long_calls() const {
  double const seconds = seconds_per_repetition_ / static_cast<double>(timed_calls_->size());
  return seconds >= seconds_of_long_call;
}

/// Repetitions to do next, 0 to stop; rank 0 has the samples and decides.
int Timer::next_batch(Samples const& samples) const {
  if (job_->rank != 0) {
    return 0;
  }
  auto const done = static_cast<int>(samples.num_repetitions());
  bool const is_precise = done >= pace_.min_repetitions && samples.are_precise(pace_.precision);
  if (done >= pace_.max_repetitions || is_precise) {
    return 0;
  }
  double const left = pace_.seconds - seconds_since(start_);
  double const fit = left / std::max(seconds_per_repetition_, 1e-7);
  // Batches at most double, so that a wrong guess of how long they take is found out early.
  int const trusted = std::max(first_batch, done);
  int const wanted =
      std::min({std::max(pace_.min_repetitions, done / 2), pace_.max_repetitions - done, trusted});
  int const possible = fit < wanted ? static_cast<int>(std::max(fit, 0.0)) : wanted;
  return done == 0 ? std::max(possible, std::min(fewest_repetitions, wanted)) : possible;
}

/// The simulator's times repeat, and its clock shows one call.
Samples Timer::run_simulated() {
  for (int done = 0; done < pace_.warmup; ++done) {
    static_cast<void>(repetitions(1));
  }
  Samples samples(timed_calls_->size());
  keep(samples, repetitions(pace_.min_repetitions));
  return samples;
}

Samples Timer::run() {
  if (is_simulated()) {
    return run_simulated();
  }
  warm_up();
  Samples samples(timed_calls_->size());
  while (int const batch = from_rank_0(*job_, next_batch(samples))) {
    // One untimed repetition washes out the reduction and the decision before it.
    if (from_rank_0(*job_, has_long_calls() ? 0 : 1) == 1) {
      static_cast<void>(repetitions(1));
    }
    auto const begin = Clock::now();
    std::vector<double> const times_us = repetitions(batch);
    seconds_per_repetition_ = seconds_since(begin) / batch;
    keep(samples, times_us);
  }
  return samples;
}

}  // namespace espalier::measure
