// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/environment.hpp"

#include <filesystem>
#include <string>
#include <system_error>

#include "espalier/base/environment.hpp"
#include "espalier/base/mpi_library.hpp"
#include "espalier/base/whole_file.hpp"
#include "espalier/machine/sources/kind_of_machine.hpp"
#include "espalier/mpi/library_version.hpp"

namespace espalier::capi {

namespace fs = std::filesystem;

plan::MachineText described_machine(std::string const& named) {
  std::string const text = named.empty() ? environment_variable("ESPALIER_MACHINE") : named;
  plan::MachineText machine = plan::machine_text_of(text.c_str());
  machine.misfit = plan::MachineText::Misfit::error;
  return machine;
}

plan::CostsFile distances_file(std::string const& named) {
  std::string const memory = environment_variable("ESPALIER_MEMORY");
  std::string const library = mpi::library_version();
  bool const is_off = named == "off" || (named.empty() && memory == "off");
  if (is_off || family_of(library) == "smpi") {
    return {};
  }
  if (!named.empty()) {
    std::error_code problem;
    return {.path = fs::absolute(named, problem).string()};
  }
  fs::path const folder = memory.empty() ? state_folder() : fs::absolute(memory).parent_path();
  return folder.empty()
             ? plan::CostsFile{}
             : plan::CostsFile{
                   .path = (folder / ("distances-" + machine::learned_file_name(library))).string()
               };
}

plan::SettingsText settings_of_collectives() {
  std::string const off = environment_variable("ESPALIER_OFF");
  plan::SettingsText text{
      .is_off = !off.empty() && off != "0",
      .force = environment_variable("ESPALIER_FORCE"),
      .profile_path = environment_variable("ESPALIER_PROFILE"),
  };
  text.read_profile();
  return text;
}

}  // namespace espalier::capi
