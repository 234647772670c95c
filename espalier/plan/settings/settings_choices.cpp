// SPDX-License-Identifier: Apache-2.0

/// @file
/// What settings may choose, before it is known for which communicator.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "espalier/algorithms/choices/choice_arguments.hpp"
#include "espalier/algorithms/composed/native.hpp"
#include "espalier/plan/settings/settings.hpp"

namespace espalier::plan {
namespace {

bool has_choice(std::optional<profile::Profile> const& profile, profile::CallForm call) noexcept {
  return profile && std::ranges::any_of(profile->rules(), [&](profile::Rule const& rule) {
           return rule.is_for(call) && !rule.is_native();
         });
}

/// Without what is learned.
bool has_choice(Settings const& settings, NeighborForm one) noexcept {
  if (profile::Decision const* const forced = settings.forced_for(one)) {
    return !forced->is_native();
  }
  return has_choice(settings.profile, rule_form(one));
}

/// Whether somebody learned something of a call in whatever form.
bool has_rule(std::optional<profile::Profile> const& learned, profile::Call call) noexcept {
  return learned && std::ranges::any_of(learned->rules(), [&](profile::Rule const& rule) {
           return rule.call == call;
         });
}

bool has_rule_of_its_own(
    std::optional<profile::Profile> const& profile, profile::CallForm call
) noexcept {
  return profile && std::ranges::any_of(profile->rules(), [&](profile::Rule const& rule) {
           return rule.call == call.call && rule.form == call.form;
         });
}

/// Where Settings::forced has what is said of blocking calls.
constexpr std::size_t blocking = profile::index_of(profile::Form::blocking);

/// Whether some call in some form is so.
template <typename Predicate> bool is_any_call(Predicate is_so) {
  return std::ranges::any_of(profile::all_calls, [&](profile::Call call) {
    return std::ranges::any_of(profile::all_forms, [&](profile::Form form) {
      return is_so(profile::CallForm{.call = call, .form = form});
    });
  });
}

}  // namespace

Settings::Forced const* Settings::forced_for(profile::CallForm call) const noexcept {
  if (profile::is_neighborhood(call.call)) {
    return nullptr;
  }
  Forced const* found = nullptr;
  for (profile::Form const form : profile::all_forms) {
    auto const& entry = forced[profile::index_of(form)][profile::index_of(call.call)];
    if (form <= call.form && entry) {
      found = &*entry;
    }
  }
  return found;
}

profile::Decision const* Settings::forced_for(NeighborForm one) const noexcept {
  auto const& own = forced_neighbors[index_of(one)];
  auto const& blocking = forced_neighbors[index_of(one.call)];
  auto const& found = own ? own : blocking;
  return found ? &*found : nullptr;
}

bool Settings::may_choose(profile::CallForm call) const noexcept {
  if (is_off) {
    return false;
  }
  if (Forced const* const entry = forced_for(call)) {
    return entry->choice.has_value();
  }
  return learning.has_value() || has_choice(profile, call);
}

bool Settings::may_choose(NeighborForm one) const noexcept {
  bool const learns = learning && forced_for(one) == nullptr;
  return !is_off && (learns || has_choice(*this, one));
}

bool Settings::may_choose_any() const noexcept {
  auto const may_be_ours = [&](auto one) { return may_choose(one); };
  return is_any_call(may_be_ours) || std::ranges::any_of(all_neighbor_forms, may_be_ours);
}

bool Settings::tells_apart(profile::CallForm call) const noexcept {
  bool const is_forced =
      forced[profile::index_of(call.form)][profile::index_of(call.call)].has_value();
  // The same choice may serve a call in one form and not in the other.
  bool const has_other_choices =
      call.form == profile::Form::persistent && profile::has_agreed_sizes(call.call);
  bool const is_learned_apart = call.form == profile::Form::nonblocking &&
                                (has_rule(memory, call.call) || has_rule(site, call.call));
  return is_forced || has_other_choices || is_learned_apart || has_rule_of_its_own(profile, call) ||
         has_rule_of_its_own(memory, call) || has_rule_of_its_own(site, call);
}

bool Settings::has_choices() const noexcept {
  bool const has_neighbors = std::ranges::any_of(all_neighbor_forms, [&](NeighborForm one) {
    return !is_off && has_choice(*this, one);
  });
  return has_neighbors || is_any_call([&](profile::CallForm call) {
           Forced const* const entry = forced_for(call);
           return entry != nullptr ? entry->choice.has_value()
                                   : !is_off && has_choice(profile, call);
         });
}

bool Settings::starts_what_was_learned() const noexcept {
  auto const starts = [](std::optional<profile::Profile> const& learned) {
    return learned && std::ranges::any_of(learned->rules(), [](profile::Rule const& rule) {
             return rule.form == profile::Form::nonblocking && !rule.is_native();
           });
  };
  bool const tries = std::ranges::any_of(trials, [](Trials const& one) {
    return one.kind.is_started() && !one.algorithms.empty();
  });
  return !is_off && learning && (tries || starts(memory) || starts(site));
}

namespace {

/// Whether a predicate is true of a choice that is forced or has a rule.
template <typename Predicate> bool any_choice(Settings const& settings, Predicate is_meant) {
  auto const has_some = [&](std::optional<algorithms::Choice> const& choice) {
    return choice && is_meant(*choice);
  };
  auto const is_some = [&](std::optional<Settings::Forced> const& one) {
    return one && has_some(one->choice);
  };
  auto const rules_have = [&](std::optional<profile::Profile> const& rules) {
    return rules && std::ranges::any_of(rules->rules(), has_some, &profile::Rule::choice);
  };
  return !settings.is_off &&
         (std::ranges::any_of(settings.forced[blocking], is_some) || rules_have(settings.profile) ||
          rules_have(settings.memory) || rules_have(settings.site));
}

}  // namespace

bool Settings::has_native_phases() const {
  return any_choice(*this, [](algorithms::Choice const& choice) {
    return choice.has_native_calls();
  });
}

bool Settings::has_shared_memory_choices() const {
  return any_choice(*this, algorithms::wants_shared_memory);
}

bool Settings::may_share_memory() const {
  switch (node_memory) {
  case NodeMemory::off:
    return false;
  case NodeMemory::automatic:
    return learning.has_value() || has_shared_memory_choices();
  case NodeMemory::on:
    break;
  }
  return true;
}

std::vector<profile::Rule> Settings::learned_rules(profile::Shape shape, profile::Form form) const {
  constexpr auto blocking_form = profile::Form::blocking;
  std::vector<profile::Rule> rules;
  auto const add = [&](std::optional<profile::Profile> const& some, profile::Source source) {
    for (profile::Rule& rule :
         profile::rules_of_shape(some ? some->rules() : std::span<profile::Rule const>(), shape)) {
      if (form == blocking_form || rule.form != blocking_form) {
        rule.source = source;
        rules.push_back(std::move(rule));
      }
    }
  };
  add(memory, profile::Source::memory);
  add(site, profile::Source::site);
  return rules;
}

std::vector<WantedNative> Settings::wanted_native() const {
  std::vector<WantedNative> wanted;
  if (is_off) {
    return wanted;
  }
  auto const add = [&](profile::Call call, std::optional<algorithms::Choice> const& choice) {
    if (choice && algorithms::is_of_library(*choice)) {
      WantedNative one{.call = call, .choice = *choice};
      if (std::ranges::find(wanted, one) == wanted.end()) {
        wanted.push_back(std::move(one));
      }
    }
  };
  for (profile::Call const call : profile::all_calls) {
    if (auto const& entry = forced[blocking][profile::index_of(call)]) {
      add(call, entry->choice);
    }
  }
  for (auto const* const rules : {&profile, &memory, &site}) {
    if (*rules) {
      for (profile::Rule const& rule : (*rules)->rules()) {
        add(rule.call, rule.choice);
      }
    }
  }
  return wanted;
}

bool Settings::needs_nodes() const noexcept {
  auto const has_rules = [&](NeighborForm one) {
    return forced_for(one) == nullptr && may_choose(one);
  };
  return std::ranges::any_of(all_neighbor_forms, has_rules) ||
         is_any_call([&](profile::CallForm call) {
           return forced_for(call) == nullptr && may_choose(call);
         });
}

}  // namespace espalier::plan
