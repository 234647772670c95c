// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "espalier/machine/tree/machine.hpp"

namespace espalier::machine {

/// What a machine file says: the machine, and what was known when it was written.
struct MachineFile {
  static constexpr std::string_view schema = "espalier-machine";
  static constexpr int version = 1;

  Machine machine;
  /// Names of the objects of some levels: host names of the nodes.
  std::map<std::string, std::vector<std::string>> object_names;
  std::vector<int> core_of_rank;  ///< where the ranks of a job ran, each alone; empty: not known
  /// Free facts: how it was found, when, by which MPI, with which warnings.
  nlohmann::json origin = nlohmann::json::object();
};

/// The machine of a text as parse_text() reads it, or of the contents of a machine file.
/// @param origin named in complaints: the path of the file.
/// @throws Error argument for a wrong text; format for a wrong file, naming origin and place.
[[nodiscard]] Machine read(std::string_view text, std::string_view origin = "machine");

/// As read(), with everything that the file says.
[[nodiscard]] MachineFile read_file(std::string_view text, std::string_view origin = "machine");

/// The contents of a machine file, with a line for each level. Times are in microseconds there and
/// keep 15 digits.
[[nodiscard]] std::string to_json(MachineFile const& file);

/// As above, of a machine of which nothing else is known.
[[nodiscard]] std::string to_json(Machine const& machine);

}  // namespace espalier::machine
