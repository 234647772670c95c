// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/plan/learning/programs.hpp"
#include "espalier/plan/settings/forced_calls.hpp"
#include "espalier/plan/settings/settings_text.hpp"
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
      constexpr auto unknown = profile::Unknown::left_out;  // a newer version learned it
      profile::Profile memory = profile::Profile::from_json(text.memory, text.memory_path, unknown);
      memory.require_vendor(vendor, text.memory_path, "another MPI learned it");
      settings.trials = trials_from_json(text.memory, text.memory_path, unknown);
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
  settings.run = text.run;
  settings.profile_path = text.profile_path;
  parse_force(text.force, settings);
  if (!text.profile_path.empty()) {
    parse_profile(text, vendor, settings);
  }
  parse_mapping(text, settings);
  settings.balances_dims = is_second("ESPALIER_DIMS", text.dims, {"native", "balanced"}, settings);
  parse_node(text, settings);
  parse_machine(text, settings);
  settings.has_progress_thread =
      is_second("ESPALIER_PROGRESS", text.progress, {"calls", "thread"}, settings);
  parse_watch(text, settings);
  settings.resting = text.resting;
  parse_learning(text, settings);
  parse_memory(text, vendor, settings);
  parse_site(text, vendor, settings);
  return settings;
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
  if (!settings.profile && !settings.profile_path.empty()) {
    return profile::DecisionTable({.reason = "the profile cannot be used", .is_open = true});
  }
  profile::DecisionTable const of_profile =
      settings.profile ? profile::DecisionTable(settings.profile->rules(), call, shape)
                       : profile::DecisionTable({.reason = "no profile", .is_open = true});
  return of_profile.completed_by({settings.learned_rules(shape, call.form), call, shape});
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
