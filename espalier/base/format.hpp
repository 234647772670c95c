// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace espalier {

/// As fmt::vformat(). libfmt is compiled into this one function: as a library of headers it takes
/// seconds in every source that formats, and as a shared library it is missing on other machines.
[[nodiscard]] std::string vformatted(fmt::string_view text, fmt::format_args arguments);

/// As fmt::format(), for numbers, characters and strings; the text is checked when it is compiled.
template <typename... Arguments>
[[nodiscard]] std::string
formatted(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return vformatted(text, fmt::make_format_args(arguments...));
}

/// Entries one behind the other, each as "{}" formats it.
template <typename Entries>
[[nodiscard]] std::string joined(Entries const& entries, std::string_view separator) {
  std::string text;
  bool is_first = true;
  for (auto const& entry : entries) {
    text += is_first ? std::string_view() : separator;
    text += formatted("{}", entry);
    is_first = false;
  }
  return text;
}

}  // namespace espalier
