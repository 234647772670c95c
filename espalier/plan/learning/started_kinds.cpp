// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/started_kinds.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "espalier/neighborhood/catalog.hpp"
#include "espalier/plan/learning/coverage.hpp"

namespace espalier::plan {
namespace {

/// The rule that was learned of calls in this very form; null if there is none.
profile::Rule const*
rule_of_form(std::optional<profile::Profile> const& learned, KindOfCalls const& kind) {
  if (!learned) {
    return nullptr;
  }
  auto const found = std::ranges::find_if(learned->rules(), [&](profile::Rule const& rule) {
    return rule.form == kind.form && covers(rule, kind);
  });
  return found == learned->rules().end() ? nullptr : &*found;
}

std::string name_of(profile::Rule const& rule) {
  if (rule.neighbors != nullptr) {
    return neighborhood::full_name(*rule.neighbors);
  }
  return rule.choice ? rule.choice->text() : "native";
}

/// The place of what a rule names, the native call being 0; none if it was not tried.
std::optional<int> candidate_of(profile::Rule const& rule, Trials const& trials) {
  auto const found = std::ranges::find(trials.algorithms, name_of(rule));
  return found == trials.algorithms.end()
             ? std::nullopt
             : std::optional(static_cast<int>(found - trials.algorithms.begin()) + 1);
}

bool is_left_to_others(Settings const& settings, KindOfCalls const& kind) {
  return (settings.profile && covers(*settings.profile, kind)) ||
         rule_of_form(settings.site, kind) != nullptr;
}

learn::Timetable timetable_of(Trials const& trials, StartedKinds::Budget const& budget) {
  bool const is_tried = trials.record.num_rounds > 0;
  double const limit = budget.share * trials.stake();
  return learn::Timetable::of_trials(
      trials.record,
      {
          .num_calls = trials.num_calls,
          .waiting_seconds = trials.seconds,
          .budget = is_tried ? std::min(budget.seconds, limit) : budget.seconds,
      }
  );
}

}  // namespace

StartedKinds::StartedKinds(
    std::map<KindOfCalls, Trials> const& earlier, Settings const& settings, Budget const& budget
) {
  std::vector<Trials const*> open;
  for (auto const& [kind, trials] : earlier) {
    if (!kind.is_started() || trials.algorithms.empty() || is_left_to_others(settings, kind)) {
      continue;
    }
    profile::Rule const* const rule = rule_of_form(settings.memory, kind);
    if (rule == nullptr) {
      open.push_back(&trials);
    } else if (auto const winner = candidate_of(*rule, trials)) {
      auto checks = learn::Timetable::of_checks(*winner, trials.num_calls);
      kinds_.try_emplace(kind, trials, std::move(checks), true);
    }
  }
  std::ranges::stable_sort(open, std::greater<>(), &Trials::stake);
  Budget left = budget;
  for (Trials const* const trials : open) {
    learn::Timetable const table = timetable_of(*trials, left);
    left.seconds -= table.cost();
    cost_ += table.cost();
    kinds_.try_emplace(trials->kind, *trials, table, false);
  }
}

StartedTrials const* StartedKinds::find(KindOfCalls const& kind) const {
  auto const found = kinds_.find(kind);
  return found == kinds_.end() ? nullptr : &found->second;
}

bool StartedKinds::tries(profile::Shape const& shape) const {
  return std::ranges::any_of(kinds_, [&](auto const& one) {
    return one.second.num_trials() > 0 && one.first.shape == shape;
  });
}

std::vector<double> StartedKinds::seconds() const {
  std::vector<double> seconds;
  for (auto const& [kind, trials] : kinds_) {
    trials.append_seconds(seconds);
  }
  return seconds;
}

double StartedKinds::lost() const {
  double lost = 0;
  for (auto const& [kind, trials] : kinds_) {
    lost += trials.lost();
  }
  return lost;
}

StartedKinds::Found StartedKinds::found(std::span<double const> seconds) const {
  Found found;
  for (auto const& [kind, trials] : kinds_) {
    std::span<double const> const own = seconds.first(trials.num_trials());
    seconds = seconds.subspan(own.size());
    if (std::ranges::none_of(own, [](double one) { return one > 0; })) {
      continue;
    }
    if (auto more = trials.trials(own)) {
      found.trials.push_back(std::move(*more));
    }
    if (auto lesson = trials.lesson(own)) {
      found.lessons.push_back(std::move(*lesson));
    }
  }
  return found;
}

}  // namespace espalier::plan
