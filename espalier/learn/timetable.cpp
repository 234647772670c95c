// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/timetable.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "espalier/learn/evidence.hpp"
#include "espalier/learn/standings.hpp"

namespace espalier::learn {
namespace {

/// With fewer calls none is spent on making connections.
constexpr std::int64_t several_calls = 32;
/// The first calls on a communicator are colder than those that follow.
constexpr std::int64_t calls_before_trials = 4;
/// Of the calls of a run, one in so many may be in a trial.
constexpr std::int64_t calls_for_one_of_trials = 2;
/// A trial is one call in so many of a run.
constexpr std::int64_t calls_for_one_of_trial = 64;
constexpr std::int64_t longest_trial = 8;
constexpr int most_rounds_of_run = 12;
/// Of candidates that nobody has timed: as many as a clear win of long calls takes.
constexpr int most_first_rounds = 2;

/// Of checks. All pairs have to be lost before a winner is dropped.
constexpr int rounds_of_checks = 5;
constexpr std::int64_t calls_of_check = 3;
/// With fewer, checks would cost more than a twentieth of what the winner gains.
constexpr std::int64_t least_calls_to_check = 400;

/// A candidate that nobody can stop in its first run does not come again if it took so many times
/// as long as the native call.
constexpr double hopeless_at_once = 1.5;

bool has_time(Record::Candidate const& candidate) {
  return candidate.seconds > 0;
}

/// What a call loses at worst, as far as one can tell. What nobody has timed may lose as much as a
/// native call takes; but a model is believed of long calls, which take their time for their bytes,
/// within a factor of two.
double
loss(Record::Candidate const& candidate, Record::Candidate const& native, double waiting_seconds) {
  constexpr double caution = 2;
  if (has_time(candidate) && has_time(native)) {
    return std::max(0.0, candidate.seconds - native.seconds);
  }
  bool const is_long = std::max(candidate.predicted, waiting_seconds) >= Standings::long_trial;
  return is_long ? std::max(0.0, caution * candidate.predicted - waiting_seconds) : waiting_seconds;
}

}  // namespace

Timetable Timetable::of_trials(Record const& record, Circumstances const& known) {
  std::vector<int> timed{Standings::native};
  std::vector<int> untried{Standings::native};
  for (std::size_t i = 1; i < record.candidates.size(); ++i) {
    Record::Candidate const& candidate = record.candidates[i];
    if (candidate.may_run && !candidate.is_out) {
      (has_time(candidate) ? timed : untried).push_back(static_cast<int>(i));
    }
  }
  std::ranges::stable_sort(timed.begin() + 1, timed.end(), {}, [&](int candidate) {
    return record.candidates[static_cast<std::size_t>(candidate)].seconds;
  });
  bool const is_first = timed.size() == 1;
  Timetable table;
  table.rounds_before_ = record.num_rounds;
  table.candidates_ = is_first ? std::move(untried) : std::move(timed);
  bool const has_several = known.num_calls >= several_calls;
  table.first_call_ = has_several ? calls_before_trials : 1;
  table.warm_calls_ = has_several ? 1 : 0;
  if (!is_first) {
    std::int64_t const share = known.num_calls / calls_for_one_of_trial;
    table.timed_calls_ = std::clamp<std::int64_t>(share, 1, longest_trial);
  }
  table.plan_rounds(record, known, is_first ? most_first_rounds : most_rounds_of_run);
  // What is not expected to lose may be decided in its first run.
  if (is_first && table.cost_ > 0) {
    table.cost_ /= std::exchange(table.num_rounds_, 1);
  }
  return table;
}

/// Leaves out the last candidates until a round can be paid for.
void Timetable::plan_rounds(Record const& record, Circumstances const& known, int most) {
  for (; candidates_.size() > 1; candidates_.pop_back()) {
    std::int64_t const calls = std::max<std::int64_t>(0, known.num_calls - first_call_) /
                               calls_for_one_of_trials / calls_of_round();
    double const cost = cost_of_round(record, known);
    bool const is_affordable = cost * most <= known.budget;
    double const affordable = is_affordable ? most : std::floor(known.budget / cost);
    num_rounds_ = static_cast<int>(std::min(static_cast<double>(calls), affordable));
    if (num_rounds_ > 0) {
      cost_ = num_rounds_ * cost;
      return;
    }
  }
}

double Timetable::cost_of_round(Record const& record, Circumstances const& known) const {
  double cost = 0;
  for (int const candidate : candidates_) {
    if (candidate != Standings::native) {
      cost += static_cast<double>(calls_of_trial()) *
              loss(
                  record.candidates[static_cast<std::size_t>(candidate)],
                  record.candidates.front(),
                  known.waiting_seconds
              );
    }
  }
  return cost;
}

Timetable Timetable::of_checks(int candidate, std::int64_t num_calls) {
  Timetable table;
  if (num_calls < least_calls_to_check) {
    return table;
  }
  table.candidates_ = {Standings::native, candidate};
  table.warm_calls_ = 1;
  table.timed_calls_ = calls_of_check;
  table.first_call_ = num_calls / 4;
  table.num_rounds_ = rounds_of_checks;
  return table;
}

/// Each round begins with another candidate, and every other time around they come in reverse, so
/// that no candidate always follows the same one.
int Timetable::place_at(std::int64_t round, std::int64_t turn) const noexcept {
  std::int64_t const number = round + rounds_before_;
  std::int64_t const num_candidates = std::ssize(candidates_);
  std::int64_t const place = (number + turn) % num_candidates;
  bool const is_reversed = number / num_candidates % 2 != 0;
  return static_cast<int>(is_reversed ? num_candidates - 1 - place : place);
}

std::optional<Timetable::Slot> Timetable::at(std::int64_t call) const noexcept {
  std::int64_t const number = call - first_call_;
  if (number < 0 || is_empty() || number / calls_of_round() >= num_rounds_) {
    return std::nullopt;
  }
  std::int64_t const round = number / calls_of_round();
  std::int64_t const in_round = number % calls_of_round();
  int const place = place_at(round, in_round / calls_of_trial());
  return Slot{
      .round = static_cast<int>(round),
      .place = place,
      .candidate = candidates_[static_cast<std::size_t>(place)],
      .is_timed = in_round % calls_of_trial() >= warm_calls_,
  };
}

Record Timetable::judge(Record const& before, std::span<double const> seconds) const {
  Standings standings;
  standings.resume(before);
  standings.let_trials_be_stretches(static_cast<std::size_t>(timed_calls_));
  standings.spare_who_is_behind();
  if (warm_calls_ > 0) {
    standings.skip_warm_up();
  }
  std::size_t const num_candidates = before.candidates.size();
  std::vector<bool> has_run(num_candidates, false);
  for (int round = 0; round < num_rounds_; ++round) {
    std::vector<double> of_all(num_candidates, 0.0);
    for (std::size_t place = 0; place < candidates_.size(); ++place) {
      auto const candidate = static_cast<std::size_t>(candidates_[place]);
      of_all[candidate] = seconds[static_cast<std::size_t>(round) * candidates_.size() + place];
      if (of_all[candidate] > 0) {
        standings.note(static_cast<int>(candidate), of_all[candidate]);
        has_run[candidate] = true;
      }
    }
    if (of_all[Standings::native] > 0) {
      standings.finish_round(of_all);
    }
  }
  Record after = standings.record(std::vector<double>(num_candidates, 0.0));
  for (int const candidate : candidates_) {
    auto const i = static_cast<std::size_t>(candidate);
    Record::Candidate& one = after.candidates[i];
    one.may_run = one.may_run && (has_run[i] || !has_run[Standings::native]);
    one.is_out =
        one.is_out || (has_run[i] && standings.middle(candidate) >
                                         hopeless_at_once * standings.middle(Standings::native));
  }
  return after;
}

bool Timetable::is_native_faster(std::span<double const> seconds) const {
  Evidence of_native;
  for (std::size_t i = 0; i + 1 < seconds.size(); i += 2) {
    if (seconds[i] > 0 && seconds[i + 1] > 0) {
      of_native.add(seconds[i], seconds[i + 1]);
    }
  }
  return of_native.of_faster() >= Standings::stake_to_take;
}

}  // namespace espalier::learn
