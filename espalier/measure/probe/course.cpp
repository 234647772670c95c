// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/course.hpp"

#include <algorithm>
#include <cmath>

#include "espalier/measure/probe/moments.hpp"

namespace espalier::measure::probe {
namespace {

constexpr int most_warmups = 3;
/// Of the time of a step.
constexpr double warmup_share = 0.2;
/// Below it, one untimed repetition washes out the exchange with the leader before a batch.
constexpr double long_repetition_seconds = 1e-3;
/// Done even if the time does not suffice: one would say nothing about the spread.
constexpr int fewest_repetitions = 2;
constexpr int most_calls = 1000;
/// Nobody asks for less. Times of simulated machines may be 0 but for rounding.
constexpr double always_precise_us = 1e-6;

int calls_for(double shortest_sample_us, double call_us) {
  double const calls = std::ceil(shortest_sample_us / std::max(call_us, 1e-9));
  return static_cast<int>(std::clamp(calls, 1.0, static_cast<double>(most_calls)));
}

}  // namespace

Course::Course(Limits const& limits, std::size_t num_pairs)
    : limits_(limits), times_us_(num_pairs) {}

Batch Course::next(double seconds_used) {
  if (last_repetitions_ > 0) {
    seconds_per_repetition_ = (seconds_used - seconds_at_last_order_) / last_repetitions_;
  }
  seconds_at_last_order_ = seconds_used;
  if (is_warming_ && !is_warm(seconds_used)) {
    ++num_warmups_;
    last_repetitions_ = 1;
    return {.calls = 1, .untimed = 0, .repetitions = 1};
  }
  if (is_warming_) {
    is_warming_ = false;
    calls_ = calls_for(limits_.shortest_sample_us, fastest_call_us_);
    seconds_per_repetition_ *= calls_;
  }
  int const batch = next_batch(seconds_used);
  has_converged_ = batch == 0 && is_precise();
  int const untimed = seconds_per_repetition_ < long_repetition_seconds ? 1 : 0;
  last_repetitions_ = batch + untimed;
  return {.calls = calls_, .untimed = untimed, .repetitions = batch};
}

bool Course::is_warm(double seconds_used) const {
  return num_warmups_ == most_warmups ||
         (num_warmups_ > 0 &&
          seconds_used + seconds_per_repetition_ > warmup_share * limits_.seconds);
}

int Course::next_batch(double seconds_used) const {
  auto const done = static_cast<int>(num_repetitions());
  if (done >= limits_.max_repetitions || is_precise()) {
    return 0;
  }
  double const left = std::max(limits_.seconds - seconds_used, 0.0);
  double const fit = left / std::max(seconds_per_repetition_, 1e-9);
  int const wanted = std::min(
      std::max(limits_.min_repetitions - done, std::max(done / 2, 1)),
      limits_.max_repetitions - done
  );
  // After that the time of a repetition is known better than from the warm-up, which may have
  // made connections.
  int const batch = done == 0 ? std::max(fewest_repetitions, wanted / 4) : wanted;
  int const possible = fit < batch ? static_cast<int>(fit) : batch;
  return done == 0 ? std::max(possible, std::min(fewest_repetitions, wanted)) : possible;
}

bool Course::is_precise() const {
  if (num_repetitions() < static_cast<std::size_t>(limits_.min_repetitions)) {
    return false;
  }
  return std::ranges::all_of(times_us_, [this](std::vector<double> const& times) {
    Moments const moments = moments_of(times);
    return moments.half_width <= std::max(limits_.precision * moments.mean, always_precise_us) ||
           (limits_.spread && moments.sd <= *limits_.spread * moments.mean);
  });
}

void Course::add(std::vector<std::vector<double>> const& times_us) {
  if (is_warming_) {
    fastest_call_us_ = times_us.front().front();
    for (std::vector<double> const& times : times_us) {
      fastest_call_us_ = std::min(fastest_call_us_, times.front());
    }
    return;
  }
  for (std::size_t pair = 0; pair < times_us.size(); ++pair) {
    times_us_[pair].insert(times_us_[pair].end(), times_us[pair].begin(), times_us[pair].end());
  }
}

std::vector<double> Course::slowest_us() const {
  std::vector<double> slowest = times_us_.front();
  for (std::vector<double> const& times : times_us_) {
    std::ranges::transform(slowest, times, slowest.begin(), [](double a, double b) {
      return std::max(a, b);
    });
  }
  return slowest;
}

}  // namespace espalier::measure::probe
