// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/algorithms/choices/choice_arguments.hpp"
#include "espalier/algorithms/composed/native.hpp"
#include "espalier/base/error.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/plan/learning/programs.hpp"
#include "espalier/plan/settings/forced_calls.hpp"
#include "espalier/watch/duration.hpp"

namespace espalier::plan {
namespace {

void parse_profile(SettingsText const& text, std::string_view vendor, Settings& settings) {
  try {
    if (!text.profile_problem.empty()) {
      throw Error(ErrorCode::io, text.profile_problem);
    }
    profile::Profile profile = profile::Profile::parse(text.profile, text.profile_path);
    profile.require_vendor(vendor, text.profile_path, "tune again with this MPI");
    settings.profile = std::move(profile);
  } catch (Error const& error) {
    settings.warnings.push_back(
        "ESPALIER_PROFILE: " + std::string(error.what()) + "; using native calls"
    );
  }
}

/// `2%`, `0.5%`: a share of the time of the program.
std::optional<double> parse_share(std::string_view text) {
  double percent = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), percent);
  bool const is_share = problem == std::errc() && end + 1 == text.data() + text.size() &&
                        *end == '%' && percent >= 0 && percent <= 100;
  return is_share ? std::optional(percent / 100) : std::nullopt;
}

void parse_learning(SettingsText const& text, Settings& settings) {
  if (text.learn.empty() || text.learn == "off" || text.learn == "0") {
    return;
  }
  settings.learning.emplace();
  if (auto const share = parse_share(text.learn)) {
    settings.learning->share = *share;
  } else if (text.learn != "on" && text.learn != "1") {
    settings.warnings.push_back(
        "ESPALIER_LEARN: expected on, off or what it may cost as in 2%, got '" + text.learn +
        "'; taking on"
    );
  }
}

/// What was learned before. A file that cannot be used is left as it is.
void parse_memory(SettingsText const& text, std::string_view vendor, Settings& settings) {
  if (!settings.learning || text.memory_path.empty()) {
    return;
  }
  try {
    if (!text.memory_problem.empty()) {
      throw Error(ErrorCode::io, text.memory_problem);
    }
    if (!text.memory.is_null()) {
      profile::Profile memory = profile::Profile::from_json(text.memory, text.memory_path);
      memory.require_vendor(vendor, text.memory_path, "another MPI learned it");
      settings.trials = trials_from_json(text.memory, text.memory_path);
      double const part = share_of_bound(
          runs_of(text.memory, text.program, text.memory_path), settings.learning->seconds
      );
      settings.learning->seconds *= part;
      settings.learning->share *= part;
      settings.memory = std::move(memory);
    }
    settings.memory_path = text.memory_path;
    settings.program = text.program;
  } catch (Error const& error) {
    settings.warnings.push_back(
        "ESPALIER_MEMORY: " + std::string(error.what()) +
        "; learning anew, and remembering nothing (remove the file or name another one)"
    );
  }
}

/// What the site shares. A user cannot mend it, and may go on without.
void parse_site(SettingsText const& text, std::string_view vendor, Settings& settings) {
  if (!settings.learning || text.site_path.empty()) {
    return;
  }
  try {
    if (!text.site_problem.empty()) {
      throw Error(ErrorCode::io, text.site_problem);
    }
    profile::Profile site = profile::Profile::parse(text.site, text.site_path);
    site.require_vendor(vendor, text.site_path, "it is for another MPI");
    settings.site = std::move(site);
    settings.site_path = text.site_path;
  } catch (Error const& error) {
    settings.warnings.push_back(
        "rules of the site: " + std::string(error.what()) +
        "; going on without them (tell who installed Espalier)"
    );
  }
}

/// Whether a variable with two values has the second one.
bool is_second(
    std::string_view name,
    std::string const& value,
    std::array<std::string_view, 2> values,
    Settings& settings
) {
  if (value.empty() || value == values[0] || value == values[1]) {
    return value == values[1];
  }
  settings.warnings.push_back(
      std::string(name) + ": expected " + std::string(values[0]) + " or " + std::string(values[1]) +
      ", got '" + value + "'; taking " + std::string(values[0])
  );
  return false;
}

void parse_mapping(SettingsText const& text, Settings& settings) {
  settings.tells_mapping = text.mapping == "on";
  settings.maps_topologies = settings.tells_mapping || text.mapping == "quiet";
  if (!settings.maps_topologies && !text.mapping.empty() && text.mapping != "off") {
    settings.warnings.push_back(
        "ESPALIER_MAPPING: expected on, quiet or off, got '" + text.mapping + "'; taking off"
    );
  }
}

void parse_node(SettingsText const& text, Settings& settings) {
  if (text.node == "off" || text.node == "on") {
    settings.node_memory = text.node == "on" ? NodeMemory::on : NodeMemory::off;
    return;
  }
  settings.node_memory = NodeMemory::automatic;
  if (!text.node.empty() && text.node != "auto") {
    settings.warnings.push_back(
        "ESPALIER_NODE: expected auto, on or off, got '" + text.node + "'; taking auto"
    );
  }
}

void parse_machine(SettingsText const& text, Settings& settings) {
  try {
    if (!text.machine_problem.empty()) {
      throw Error(ErrorCode::io, text.machine_problem);
    }
    if (!text.machine.empty()) {
      static_cast<void>(machine::read(text.machine, text.machine_origin));
      settings.machine = {.text = text.machine, .origin = text.machine_origin};
    }
  } catch (Error const& error) {
    settings.warnings.push_back(
        "ESPALIER_MACHINE: " + std::string(error.what()) + "; using what jobs show of their machine"
    );
  }
}

void parse_watch(SettingsText const& text, Settings& settings) {
  if (text.watch.empty() || text.watch == "off" || text.watch == "0") {
    return;
  }
  if (auto const limit = watch::parse_duration(text.watch)) {
    settings.watch = *limit;
    settings.watch_board = text.watch_board;
    return;
  }
  settings.warnings.push_back(
      "ESPALIER_WATCH: expected a time as in 30s, 500ms or 2min, or off, got '" + text.watch +
      "'; taking off"
  );
}

profile::DecisionTable decide_forced(
    profile::CallForm call,
    Settings::Forced const& forced,
    profile::Shape shape,
    std::vector<std::string>& warnings
) {
  profile::Decision decision{.choice = forced.choice, .reason = forced.reason};
  if (decision.choice) {
    std::string const refusal = profile::refuses(call, *decision.choice, shape.num_ranks, 0);
    if (!refusal.empty()) {
      decision.reason = "ESPALIER_FORCE: " + decision.choice->text() + " does not accept " +
                        std::to_string(shape.num_ranks) + " ranks in " +
                        profile::function_name(call) + ": " + refusal;
      decision.choice.reset();
      warnings.push_back(decision.reason + "; using the native call on such communicators");
    }
  }
  return profile::DecisionTable(std::move(decision));
}

}  // namespace

Settings Settings::parse(SettingsText const& text, std::string_view vendor) {
  Settings settings;
  settings.is_off = text.is_off;
  settings.is_verbose = text.is_verbose;
  if (settings.is_off) {
    return settings;
  }
  settings.statistics = text.statistics;
  settings.profile_path = text.profile_path;
  parse_force(text.force, settings);
  if (!text.profile_path.empty()) {
    parse_profile(text, vendor, settings);
  }
  parse_mapping(text, settings);
  settings.balances_dims = is_second("ESPALIER_DIMS", text.dims, {"native", "balanced"}, settings);
  parse_node(text, settings);
  parse_machine(text, settings);
  parse_watch(text, settings);
  settings.resting = text.resting;
  parse_learning(text, settings);
  parse_memory(text, vendor, settings);
  parse_site(text, vendor, settings);
  return settings;
}

namespace {

bool has_choice(std::optional<profile::Profile> const& profile, profile::CallForm call) noexcept {
  return profile && std::ranges::any_of(profile->rules(), [&](profile::Rule const& rule) {
           return rule.is_for(call) && !rule.is_native();
         });
}

/// Without what is learned.
bool has_choice(Settings const& settings, NeighborCall call) noexcept {
  if (auto const& forced = settings.forced_neighbors[index_of(call)]) {
    return !forced->is_native();
  }
  return has_choice(settings.profile, {.call = rule_call(call)});
}

bool has_rule_of_its_own(
    std::optional<profile::Profile> const& profile, profile::CallForm call
) noexcept {
  return profile && std::ranges::any_of(profile->rules(), [&](profile::Rule const& rule) {
           return rule.call == call.call && rule.form == call.form;
         });
}

/// Calls as they return when they are complete, and as they are only started.
constexpr std::array all_forms{profile::Form::blocking, profile::Form::nonblocking};

/// Whether some call in some form is so.
template <typename Predicate> bool is_any_call(Predicate is_so) {
  return std::ranges::any_of(profile::all_calls, [&](profile::Call call) {
    return std::ranges::any_of(all_forms, [&](profile::Form form) {
      return is_so(profile::CallForm{.call = call, .form = form});
    });
  });
}

}  // namespace

Settings::Forced const* Settings::forced_for(profile::CallForm call) const noexcept {
  if (profile::is_neighborhood(call.call)) {
    return nullptr;
  }
  auto const& own = forced_nonblocking[profile::index_of(call.call)];
  auto const& blocking = forced[profile::index_of(call.call)];
  if (call.form == profile::Form::nonblocking && own) {
    return &*own;
  }
  return blocking ? &*blocking : nullptr;
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

bool Settings::may_choose(NeighborCall call) const noexcept {
  bool const learns = learning && !forced_neighbors[index_of(call)];
  return !is_off && (learns || has_choice(*this, call));
}

bool Settings::tells_forms_apart(profile::Call call) const noexcept {
  profile::CallForm const nonblocking{.call = call, .form = profile::Form::nonblocking};
  bool const is_forced = forced_nonblocking[profile::index_of(call)].has_value();
  return is_forced || has_rule_of_its_own(profile, nonblocking) ||
         has_rule_of_its_own(memory, nonblocking) || has_rule_of_its_own(site, nonblocking);
}

bool Settings::has_choices() const noexcept {
  bool const has_neighbors = std::ranges::any_of(all_neighbor_calls, [&](NeighborCall call) {
    return !is_off && has_choice(*this, call);
  });
  return has_neighbors || is_any_call([&](profile::CallForm call) {
           Forced const* const entry = forced_for(call);
           return entry != nullptr ? entry->choice.has_value()
                                   : !is_off && has_choice(profile, call);
         });
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
         (std::ranges::any_of(settings.forced, is_some) || rules_have(settings.profile) ||
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

std::vector<profile::Rule> Settings::learned_rules(profile::Shape shape) const {
  if (!profile_path.empty()) {
    return {};
  }
  std::vector<profile::Rule> rules;
  if (memory) {
    rules = profile::rules_of_shape(memory->rules(), shape);
  }
  if (site) {
    for (profile::Rule& rule : profile::rules_of_shape(site->rules(), shape)) {
      rule.is_shared = true;
      rules.push_back(std::move(rule));
    }
  }
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
    if (auto const& entry = forced[profile::index_of(call)]) {
      add(call, entry->choice);
    }
  }
  for (auto const* const rules : {&profile, &memory}) {
    if (*rules) {
      for (profile::Rule const& rule : (*rules)->rules()) {
        add(rule.call, rule.choice);
      }
    }
  }
  return wanted;
}

bool Settings::needs_nodes() const noexcept {
  auto const has_rules = [&](NeighborCall call) {
    return !forced_neighbors[index_of(call)] && may_choose(call);
  };
  return std::ranges::any_of(all_neighbor_calls, has_rules) ||
         is_any_call([&](profile::CallForm call) {
           return forced_for(call) == nullptr && may_choose(call);
         });
}

profile::DecisionTable decide(
    Settings const& settings,
    profile::CallForm call,
    profile::Shape shape,
    std::vector<std::string>& warnings
) {
  if (auto const* const forced = settings.forced_for(call)) {
    return decide_forced(call, *forced, shape, warnings);
  }
  if (settings.profile) {
    return {settings.profile->rules(), call, shape};
  }
  if ((settings.memory || settings.site) && settings.profile_path.empty()) {
    return {settings.learned_rules(shape), call, shape};
  }
  return profile::DecisionTable(
      {.choice = std::nullopt,
       .reason = settings.profile_path.empty() ? "no profile" : "the profile cannot be used",
       .is_open = true}
  );
}

std::optional<std::string> complaint_about_shape(Settings const& settings, profile::Shape job) {
  if (!settings.profile || job.num_ranks == 1) {
    return std::nullopt;
  }
  auto const nearest = profile::nearest_shape(settings.profile->rules(), job);
  if (!nearest || profile::Distance(*nearest, job).is_borrowable()) {
    return std::nullopt;
  }
  return settings.profile_path + ": expected rules for " + job.text() +
         ", or for as many nodes and ranks within a factor of 2, the nearest are for " +
         nearest->text() +
         "; using native calls on MPI_COMM_WORLD, tune with this job to add its shape";
}

}  // namespace espalier::plan
