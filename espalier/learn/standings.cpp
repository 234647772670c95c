// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/standings.hpp"

#include <algorithm>
#include <cstddef>

namespace espalier::learn {
namespace {

constexpr std::size_t most_times = 24;
/// Of those from before evidence starts anew.
constexpr std::ptrdiff_t most_kept_times = 3;
/// Rounds until the native call stays for want of evidence: in one race, unless somebody takes less
/// time, and in all that go on with each other.
constexpr int most_rounds_here = 24;
constexpr int most_rounds = Evidence::most_pairs;
constexpr double short_call = 3e-3;
/// After so many pairs somebody has to be ahead.
constexpr int pairs_to_be_ahead = 8;
constexpr double stake_of_who_is_ahead = 0.5;
/// Who loses its first rounds by so much is out at once.
constexpr double hopeless = 3;
constexpr int num_hopeless_rounds = 2;
/// What nobody has timed may take so many times what the model, or the native call, says.
constexpr double caution = 2;

}  // namespace

void Standings::enter(std::span<double const> predicted) {
  for (double const seconds : predicted) {
    entries_.push_back({.predicted = seconds});
  }
}

void Standings::resume(Record const& record) {
  entries_.clear();
  for (Record::Candidate const& candidate : record.candidates) {
    Entry& entry = entries_.emplace_back();
    entry.predicted = candidate.predicted;
    if (candidate.seconds > 0) {
      entry.times.push_back(candidate.seconds);
    }
    entry.against_native = candidate.against_native;
    entry.against_leader = candidate.against_leader;
    entry.is_out = candidate.is_out;
    entry.may_run = candidate.may_run;
  }
  num_rounds_ = record.num_rounds;
}

Record Standings::record(std::span<double const> in_round) const {
  Record record{.num_rounds = num_rounds_};
  for (int candidate = 0; candidate < num_candidates(); ++candidate) {
    Entry const& known = entry(candidate);
    record.candidates.push_back({
        .predicted = known.predicted,
        .seconds = middle(candidate),
        .in_round = in_round[static_cast<std::size_t>(candidate)],
        .against_native = known.against_native,
        .against_leader = known.against_leader,
        .is_out = known.is_out,
        .may_run = known.may_run,
    });
  }
  return record;
}

void Standings::note(int candidate, double seconds) {
  std::vector<double>& times = entry(candidate).times;
  if (times.size() == most_times) {
    times.erase(times.begin());
  }
  times.push_back(seconds);
}

bool Standings::is_long() const {
  return middle(native) >= long_trial;
}

bool Standings::looks_hopeless(int candidate) const {
  return num_times(candidate) > 0 && middle(candidate) > hopeless * middle(native);
}

bool Standings::is_short() const {
  return middle(native) < short_call;
}

void Standings::finish_round(std::span<double const> seconds) {
  bool const warms_up = num_rounds_here_ == 0 && !is_long();
  ++num_rounds_here_;
  if (warms_up) {
    return;
  }
  int const ahead = leader();
  double const native_seconds = seconds[native];
  double const leader_seconds =
      spares_who_is_behind_ ? 0 : seconds[static_cast<std::size_t>(ahead)];
  for (int candidate = 1; candidate < num_candidates(); ++candidate) {
    double const own = seconds[static_cast<std::size_t>(candidate)];
    if (own > 0 && native_seconds > 0) {
      judge(candidate, own, native_seconds, candidate == ahead ? 0 : leader_seconds);
    }
  }
  ++num_rounds_;
}

void Standings::judge(int candidate, double seconds, double native_seconds, double leader_seconds) {
  Entry& known = entry(candidate);
  double const calls = static_cast<double>(calls_of_trial_);
  bool const is_steady = calls * middle(native) >= long_trial && !sizes_vary_;
  known.against_native.add(seconds, native_seconds, is_steady ? clear_factor() : 0);
  bool const is_of_steady_stretch = is_steady && calls_of_trial_ > 1;
  double const bad = is_of_steady_stretch ? clear_factor() : hopeless;
  bool const is_bad = seconds > bad * native_seconds;
  known.num_bad_rounds += is_bad && known.num_bad_rounds == num_rounds_ ? 1 : 0;
  if (leader_seconds > 0) {
    known.against_leader.add(seconds, leader_seconds);
  }
  known.is_out = known.is_out || known.num_bad_rounds >= num_hopeless_rounds ||
                 is_futile(candidate) || known.against_native.of_slower() >= stake_to_give_up ||
                 known.against_leader.of_slower() >= stake_to_give_up;
}

/// Among noise, who gains a tenth may win only five of eight pairs.
bool Standings::is_futile(int candidate) const {
  Evidence const& pairs = entry(candidate).against_native;
  return pairs.num_pairs() >= pairs_to_be_ahead && pairs.of_faster() < stake_of_who_is_ahead &&
         !takes_less(candidate);
}

bool Standings::takes_less(int candidate) const {
  return middle(candidate) <= (1 - least_gain) * middle(native);
}

void Standings::start_again(int rival) {
  for (Entry& entry : entries_) {
    entry.against_native = {};
    entry.against_leader = {};
    entry.num_bad_rounds = 0;
    auto const num_old = std::ssize(entry.times) - most_kept_times;
    entry.times.erase(
        entry.times.begin(), entry.times.begin() + std::max<std::ptrdiff_t>(0, num_old)
    );
  }
  entry(rival).is_out = false;
  num_rounds_ = 0;
  num_rounds_here_ = 1;
}

int Standings::leader() const {
  int best = native;
  for (int candidate = 1; candidate < num_candidates(); ++candidate) {
    bool const has_run = is_in(candidate) && num_times(candidate) > 0;
    if (has_run && (best == native || middle(candidate) < middle(best))) {
      best = candidate;
    }
  }
  return best;
}

std::optional<int> Standings::decision() const {
  int const ahead = leader();
  if (ahead != native && is_faster(ahead)) {
    return ahead;
  }
  auto const is_left = [](Entry const& entry) { return entry.may_run && !entry.is_out; };
  bool const is_anyone_left = std::any_of(entries_.begin() + 1, entries_.end(), is_left);
  bool const is_long_enough = num_rounds_here_ >= most_rounds_here && !takes_less(ahead);
  bool const is_over = !is_anyone_left || is_long_enough || num_rounds_ >= most_rounds;
  return is_over ? std::optional(native) : std::nullopt;
}

bool Standings::is_faster(int candidate) const {
  bool const is_sure =
      entry(candidate).against_native.of_faster() >= stake_to_take || is_clearly_faster(candidate);
  return is_sure && takes_less(candidate);
}

/// Also beside all times of the native call that are known, so that one that was disturbed makes
/// no clear win.
bool Standings::is_clearly_faster(int candidate) const {
  std::vector<double> const& of_native = entry(native).times;
  return entry(candidate).against_native.of_clearly_faster() >= stake_to_take_clearly &&
         !of_native.empty() &&
         clear_factor() * worst(candidate) <= *std::ranges::min_element(of_native);
}

/// What disturbs one call of a stretch is a part of its time only.
double Standings::clear_factor() const noexcept {
  constexpr double of_call = 2;
  constexpr double of_stretch = 1.5;
  return calls_of_trial_ > 1 ? of_stretch : of_call;
}

int Standings::most_pairs() const {
  int most = 0;
  for (Entry const& entry : entries_) {
    most = std::max(most, entry.against_native.num_pairs());
  }
  return most;
}

double Standings::middle(int candidate) const {
  std::vector<double> times = entry(candidate).times;
  if (times.empty()) {
    return 0;
  }
  auto const half = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, half);
  return *half;
}

double Standings::worst(int candidate) const {
  if (num_times(candidate) > 0) {
    return *std::ranges::max_element(entry(candidate).times);
  }
  double const by_model = worst_by_model(entry(candidate));
  double const by_others = std::max(middle(native), middle(leader()));
  return caution * (by_model > 0 ? by_model : by_others);
}

/// @return 0 if nobody knows
double Standings::worst_by_model(Entry const& entry) const {
  double const measured = measured_error_of_model();
  if (measured == 0 && known_error_.factor == 0) {
    return entry.predicted >= long_trial ? entry.predicted : 0;
  }
  return std::max(
      measured * entry.predicted, known_error_.factor * entry.predicted + known_error_.seconds
  );
}

/// Of each candidate that was timed.
std::vector<ErrorOfModel> Standings::errors_of_model() const {
  std::vector<ErrorOfModel> errors;
  for (int candidate = 1; candidate < num_candidates(); ++candidate) {
    double const predicted = entry(candidate).predicted;
    if (predicted > 0 && num_times(candidate) > 0) {
      double const seconds = middle(candidate);
      errors.push_back({.factor = seconds / predicted, .seconds = seconds - predicted});
    }
  }
  return errors;
}

double Standings::measured_error_of_model() const {
  double greatest = 0;
  for (ErrorOfModel const& error : errors_of_model()) {
    greatest = std::max(greatest, error.factor);
  }
  return greatest;
}

ErrorOfModel Standings::least_error_of_model() const {
  std::vector<ErrorOfModel> const errors = errors_of_model();
  if (errors.empty()) {
    return {};
  }
  ErrorOfModel least = errors.front();
  for (ErrorOfModel const& error : errors) {
    least.factor = std::min(least.factor, error.factor);
    least.seconds = std::min(least.seconds, error.seconds);
  }
  return {.factor = least.factor, .seconds = std::max(0.0, least.seconds)};
}

std::size_t Standings::memory_bytes() const noexcept {
  std::size_t total = sizeof(*this) + entries_.capacity() * sizeof(Entry);
  for (Entry const& entry : entries_) {
    total += entry.times.capacity() * sizeof(double);
  }
  return total;
}

}  // namespace espalier::learn
