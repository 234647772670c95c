// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/started_trials.hpp"

#include <algorithm>
#include <utility>

#include "espalier/learn/standings.hpp"

namespace espalier::plan {
namespace {

/// From the start to the completion.
double all_seconds(Completed const& calls) {
  return calls.waiting_seconds + calls.work_seconds;
}

}  // namespace

StartedTrials::StartedTrials(Trials before, learn::Timetable timetable, bool checks)
    : before_(std::move(before)), timetable_(std::move(timetable)), checks_(checks) {
  std::string const reason =
      checks ? "learning: checks what runs now" : "learning: a trial of this run";
  decisions_.push_back({.reason = reason});
  for (std::string const& algorithm : before_.algorithms) {
    decisions_.push_back(profile::decision_named(before_.kind.call, algorithm, reason));
  }
  auto const num_trials =
      static_cast<std::size_t>(timetable_.num_rounds()) * timetable_.candidates().size();
  for (std::size_t i = 0; i < num_trials; ++i) {
    counts_.push_back(std::make_shared<Completions>());
  }
}

StartedTrials::Turn StartedTrials::turn(std::int64_t call) const {
  auto const slot = timetable_.at(call);
  if (!slot) {
    return {};
  }
  Turn turn{.decision = &decisions_[static_cast<std::size_t>(slot->candidate)]};
  if (slot->is_timed) {
    std::size_t const num_places = timetable_.candidates().size();
    turn.counts = counts_
        [static_cast<std::size_t>(slot->round) * num_places +
         static_cast<std::size_t>(slot->place)];
  }
  return turn;
}

void StartedTrials::append_seconds(std::vector<double>& seconds) const {
  for (auto const& counts : counts_) {
    Completed const calls = counts->so_far();
    seconds.push_back(calls.count > 0 ? all_seconds(calls) / static_cast<double>(calls.count) : 0);
  }
}

double StartedTrials::lost() const {
  std::size_t const num_places = timetable_.candidates().size();
  std::vector<Completed> of_places(num_places);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    of_places[i % num_places].add(counts_[i]->so_far());
  }
  if (of_places.empty() || of_places.front().count == 0) {
    return 0;
  }
  Completed const& native = of_places.front();
  double const of_native = all_seconds(native) / static_cast<double>(native.count);
  double lost = 0;
  for (Completed const& calls : of_places) {
    double const more = all_seconds(calls) - static_cast<double>(calls.count) * of_native;
    // What checks lose is what the native calls among them take longer.
    lost += std::max(0.0, checks_ ? -more : more);
  }
  return lost;
}

std::optional<Trials> StartedTrials::trials(std::span<double const> seconds) const {
  if (checks_ || timetable_.is_empty()) {
    return std::nullopt;
  }
  Trials now = before_;
  now.num_calls = 0;
  now.seconds = 0;
  now.record = timetable_.judge(before_.record, seconds);
  return since(now, before_);
}

std::optional<Lesson> StartedTrials::lesson(std::span<double const> seconds) const {
  if (!checks_ || !timetable_.is_native_faster(seconds)) {
    return std::nullopt;
  }
  return Lesson{
      .kind = before_.kind,
      .algorithm = "native",
      .native_seconds = seconds.front(),
      .seconds = seconds.front(),
      .num_pairs = timetable_.num_rounds(),
  };
}

}  // namespace espalier::plan
