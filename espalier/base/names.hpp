// SPDX-License-Identifier: Apache-2.0

/// @file
/// Things that have names in files, settings and commands.

#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>

namespace espalier {

/// The thing with this name, nothing if there is none.
/// @param name_of a function or member that gives the name of a thing.
template <std::ranges::forward_range Things, typename NameOf>
[[nodiscard]] std::optional<std::ranges::range_value_t<Things>>
find_named(Things const& things, std::string_view name, NameOf name_of) {
  auto const found = std::ranges::find(things, name, name_of);
  return found == std::ranges::end(things) ? std::nullopt : std::optional(*found);
}

/// All names as complaints list them: "a, b, c".
template <std::ranges::input_range Things, typename NameOf>
[[nodiscard]] std::string list_names(Things&& things, NameOf name_of) {
  std::string names;
  for (auto const& thing : things) {
    names += names.empty() ? "" : ", ";
    names += std::invoke(name_of, thing);
  }
  return names;
}

}  // namespace espalier
