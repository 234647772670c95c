// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace espalier::machine {

/// A number of digits only, all of the text; nullopt for anything else.
inline std::optional<int> natural(std::string_view text) {
  int number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool const is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && text.front() != '-' ? std::optional(number) : std::nullopt;
}

}  // namespace espalier::machine
