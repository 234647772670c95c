// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/format.hpp"

#include <fmt/format.h>

namespace espalier {

std::string vformatted(fmt::string_view text, fmt::format_args arguments) {
  return fmt::vformat(text, arguments);
}

}  // namespace espalier
