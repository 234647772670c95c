// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/environment.hpp"

#include <cstddef>
#include <string_view>

namespace espalier::machine {

Environment environment_of(char const* const* entries) {
  Environment environment;
  for (; entries != nullptr && *entries != nullptr; ++entries) {
    std::string_view const entry(*entries);
    std::size_t const equals = entry.find('=');
    if (equals != std::string_view::npos) {
      environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  return environment;
}

}  // namespace espalier::machine
