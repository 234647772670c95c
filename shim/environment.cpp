// SPDX-License-Identifier: Apache-2.0

#include "shim/environment.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "espalier/base/error.hpp"
#include "espalier/tune/profile.hpp"

namespace espalier::shim {
namespace {

/// Read before the program starts threads, or while they wait for MPI_Init.
std::string variable(char const* name) {
  char const* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::string() : std::string(value);
}

bool is_set(char const* name) {
  std::string const value = variable(name);
  return !value.empty() && value != "0";
}

std::string absolute(std::string const& path) {
  std::error_code problem;
  std::filesystem::path const result = std::filesystem::absolute(path, problem);
  return problem ? path : result.string();
}

/// A machine is the text itself, unless there is a file of that name.
void read_machine(plan::SettingsText& text) {
  std::string const value = variable("ESPALIER_MACHINE");
  std::error_code problem;
  bool const is_file = std::filesystem::is_regular_file(value, problem);
  text.machine_origin = is_file ? value : "ESPALIER_MACHINE";
  try {
    text.machine = is_file ? tune::read_text(value) : value;
  } catch (Error const& error) {
    text.machine_problem = error.what();
  }
}

}  // namespace

plan::SettingsText read_environment() {
  plan::SettingsText text{
      .is_off = is_set("ESPALIER_OFF"),
      .is_verbose = is_set("ESPALIER_VERBOSE"),
      .force = variable("ESPALIER_FORCE"),
      .statistics = variable("ESPALIER_STATISTICS"),
      .profile_path = variable("ESPALIER_PROFILE"),
      .mapping = variable("ESPALIER_MAPPING"),
      .dims = variable("ESPALIER_DIMS"),
      .watch = variable("ESPALIER_WATCH"),
  };
  if (!text.is_off) {
    read_machine(text);
  }
  if (!text.statistics.empty()) {
    text.statistics = absolute(text.statistics);
  }
  if (!text.profile_path.empty() && !text.is_off) {
    try {
      text.profile = tune::read_text(text.profile_path);
    } catch (Error const& error) {
      text.profile_problem = error.what();
    }
  }
  return text;
}

bool may_be_rank_zero() noexcept {
  for (char const* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    char const* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr) {
      return std::string_view(value) == "0";
    }
  }
  return true;
}

}  // namespace espalier::shim
