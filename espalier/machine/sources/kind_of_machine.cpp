// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/kind_of_machine.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>

#include "espalier/base/mpi_library.hpp"

namespace espalier::machine {
namespace {

/// Lower case letters, digits, points and single hyphens.
std::string as_file_name(std::string_view text) {
  std::string name;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '.') {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name;
}

}  // namespace

std::string learned_file_name(
    std::string_view mpi_library, std::string_view processor, Interconnect const& interconnect
) {
  std::string const text =
      short_version(mpi_library) + " " + std::string(processor) + " " + interconnect.text();
  return as_file_name(text) + ".json";
}

std::string learned_file_name(std::string_view mpi_library) {
  return learned_file_name(mpi_library, processor_name(), find_interconnect());
}

bool is_learned_file_name(std::string_view name, std::string_view mpi_library) {
  std::string const begin = as_file_name(short_version(mpi_library) + " ");
  return name.starts_with(begin) && name.size() > begin.size() && name.ends_with(".json");
}

std::string processor_name(std::filesystem::path const& file) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("model name")) {
      return line.substr(std::min(line.size(), line.find(':') + 1));
    }
  }
  return "processor";
}

}  // namespace espalier::machine
