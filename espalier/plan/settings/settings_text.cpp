// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/settings_text.hpp"

#include <exception>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/base/json_text.hpp"
#include "espalier/plan/learning/learned.hpp"
#include "espalier/plan/learning/programs.hpp"
#include "espalier/plan/settings/settings.hpp"
#include "espalier/profile/profile.hpp"

namespace espalier::plan {

void SettingsText::read_profile() {
  if (profile_path.empty() || is_off) {
    return;
  }
  try {
    profile = profile::read_text(profile_path);
  } catch (Error const& error) {
    profile_problem = error.what();
  }
}

void SettingsText::rest(double draw) {
  if (learn != "on" || !profile_path.empty() || !site_path.empty() || memory.is_null()) {
    return;
  }
  LearningBound const bound;
  RunsOfProgram runs;
  try {
    runs = runs_of(memory, program, memory_path);
    if (!rests(runs, bound.seconds, bound.share, draw) || !knows_what_rules_save(memory)) {
      return;
    }
  } catch (std::exception const&) {
    return;  // said when the memory is interpreted
  }
  resting = formatted(
      "learning took {:.0f} ms of {:.2f} s and found nothing faster in the last {}",
      1e3 * runs.cost_seconds,
      runs.seconds,
      runs.num_in_vain == 1 ? "run" : formatted("{} runs", runs.num_in_vain)
  );
  learn = "off";
  memory = {};
  memory_path.clear();
}

std::string SettingsText::to_bytes() const {
  // Texts of the environment need not be UTF-8, so they travel as lists of bytes.
  auto const binary = [](std::string const& text) {
    return nlohmann::json::binary({text.begin(), text.end()});
  };
  nlohmann::json document = {
      {"is_off", is_off},
      {"is_verbose", is_verbose},
      {"force", binary(force)},
      {"statistics", binary(statistics)},
      {"profile_path", binary(profile_path)},
      {"profile", binary(profile)},
      {"profile_problem", binary(profile_problem)},
      {"mapping", binary(mapping)},
      {"dims", binary(dims)},
      {"machine", binary(machine)},
      {"machine_origin", binary(machine_origin)},
      {"machine_problem", binary(machine_problem)},
      {"learn", binary(learn)},
      {"memory_path", binary(memory_path)},
      {"memory_problem", binary(memory_problem)},
      {"program", binary(program)},
      {"resting", binary(resting)},
      {"site_path", binary(site_path)},
      {"site", binary(site)},
      {"site_problem", binary(site_problem)},
      {"node", binary(node)},
      {"progress", binary(progress)},
      {"watch", binary(watch)},
      {"watch_board", binary(watch_board)},
      {"run", binary(run)},
  };
  document["memory"] = memory;  // large, and a list copies what it is made of
  return json_bytes(document);
}

SettingsText SettingsText::from_bytes(std::string_view bytes) {
  try {
    nlohmann::json document = parse_json_bytes(bytes);
    auto const text = [&](char const* key) {
      auto const& binary = document.at(key).get_binary();
      return std::string(binary.begin(), binary.end());
    };
    return {
        .is_off = document.at("is_off").get<bool>(),
        .is_verbose = document.at("is_verbose").get<bool>(),
        .force = text("force"),
        .statistics = text("statistics"),
        .profile_path = text("profile_path"),
        .profile = text("profile"),
        .profile_problem = text("profile_problem"),
        .mapping = text("mapping"),
        .dims = text("dims"),
        .machine = text("machine"),
        .machine_origin = text("machine_origin"),
        .machine_problem = text("machine_problem"),
        .learn = text("learn"),
        .memory_path = text("memory_path"),
        .memory = std::move(document.at("memory")),
        .memory_problem = text("memory_problem"),
        .program = text("program"),
        .resting = text("resting"),
        .site_path = text("site_path"),
        .site = text("site"),
        .site_problem = text("site_problem"),
        .node = text("node"),
        .progress = text("progress"),
        .watch = text("watch"),
        .watch_board = text("watch_board"),
        .run = text("run"),
    };
  } catch (nlohmann::json::exception const&) {
    throw Error(
        ErrorCode::format,
        "expected settings as sent by rank 0, got " + std::to_string(bytes.size()) +
            " bytes of something else"
    );
  }
}

}  // namespace espalier::plan
