// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/drawn_name.hpp"

#include <array>
#include <string_view>
#include <unistd.h>

namespace espalier {

std::string drawn_name() {
  std::array<unsigned char, 12> drawn{};
  if (getentropy(drawn.data(), drawn.size()) != 0) {
    return {};
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string name;
  for (unsigned char const byte : drawn) {
    name += digits[byte >> 4U];
    name += digits[byte & 15U];
  }
  return name;
}

}  // namespace espalier
