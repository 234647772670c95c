// SPDX-License-Identifier: Apache-2.0

/// @file
/// Distances between ranks that earlier runs measured: a file `espalier-distances`, version 1. What
/// differs from run to run, which rank is where, is not in it; levels, groups and channels are.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "espalier/mapping/orders/distances.hpp"
#include "espalier/mapping/places.hpp"

namespace espalier::plan {

/// Of what something is remembered: ranks in groups of these sizes on these levels, and messages of
/// one size. As in `node 4x4; package 8x2`.
struct CostsKey {
  std::string places;
  std::int64_t bytes = 0;

  friend bool operator==(CostsKey const&, CostsKey const&) = default;
};

[[nodiscard]] CostsKey costs_key(mapping::Places const& places, std::int64_t bytes);

/// What is remembered is measured anew after 30 days.
inline constexpr std::int64_t most_seconds_remembered = 30LL * 24 * 60 * 60;

/// @param now seconds since 1970.
/// @param origin name of the file, for messages.
/// @throws Error format, one line, if it is another file, of a later version, or damaged.
[[nodiscard]] std::optional<mapping::LevelCosts> remembered_costs(
    std::string_view document,
    std::string_view origin,
    CostsKey const& key,
    std::size_t num_levels,
    std::int64_t now
);

/// The file with these costs in place of earlier ones for the same key; of the 256 latest keys.
/// @param document empty: there is no file yet.
/// @throws Error as above.
[[nodiscard]] std::string with_costs(
    std::string_view document,
    std::string_view origin,
    CostsKey const& key,
    mapping::LevelCosts const& costs,
    std::int64_t now
);

}  // namespace espalier::plan
