// SPDX-License-Identifier: Apache-2.0

#include "shim/environment.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "espalier/base/environment.hpp"
#include "espalier/base/error.hpp"
#include "espalier/plan/topologies/machine_text.hpp"
#include "shim/site.hpp"
#include "shim/surroundings.hpp"

namespace espalier::shim {
namespace {

bool is_set(char const* name) {
  std::string const value = environment_variable(name);
  return !value.empty() && value != "0";
}

std::string absolute(std::string const& path) {
  std::error_code problem;
  std::filesystem::path const result = std::filesystem::absolute(path, problem);
  return problem ? path : result.string();
}

std::string learning_asked_for() {
  std::string value = environment_variable("ESPALIER_LEARN");
  return value.empty() && learns_unasked() ? "on" : value;
}

void read_machine(plan::SettingsText& text) {
  std::string const value = environment_variable("ESPALIER_MACHINE");
  text.machine_origin = "ESPALIER_MACHINE";
  try {
    plan::MachineText machine = plan::machine_text_of(value.c_str());
    text.machine = std::move(machine.text);
    text.machine_origin = std::move(machine.origin);
  } catch (Error const& error) {
    text.machine_problem = error.what();
  }
}

}  // namespace

bool may_want_native_algorithms() noexcept {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before the program starts threads.
  char const* const force = std::getenv("ESPALIER_FORCE");
  bool const is_forced =
      force != nullptr && std::string_view(force).find("native[") != std::string_view::npos;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before the program starts threads.
  char const* const profile = std::getenv("ESPALIER_PROFILE");
  bool const has_profile = profile != nullptr && *profile != '\0';
  return is_forced || has_profile || may_have_site();
}

plan::SettingsText read_environment() {
  plan::SettingsText text{
      .is_off = is_set("ESPALIER_OFF"),
      .is_verbose = is_set("ESPALIER_VERBOSE"),
      .force = environment_variable("ESPALIER_FORCE"),
      .statistics = environment_variable("ESPALIER_STATISTICS"),
      .profile_path = environment_variable("ESPALIER_PROFILE"),
      .mapping = environment_variable("ESPALIER_MAPPING"),
      .dims = environment_variable("ESPALIER_DIMS"),
      .learn = learning_asked_for(),
      .memory_path = environment_variable("ESPALIER_MEMORY"),
      .node = environment_variable("ESPALIER_NODE"),
      .progress = environment_variable("ESPALIER_PROGRESS"),
      .watch = environment_variable("ESPALIER_WATCH"),
  };
  if (!text.is_off) {
    read_machine(text);
  }
  if (!text.statistics.empty()) {
    text.statistics = absolute(text.statistics);
  }
  text.read_profile();
  return text;
}

}  // namespace espalier::shim
