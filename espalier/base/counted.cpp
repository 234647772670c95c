// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/counted.hpp"

namespace espalier {

std::string counted(std::int64_t number, std::string const& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

}  // namespace espalier
