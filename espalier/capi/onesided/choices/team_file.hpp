// SPDX-License-Identifier: Apache-2.0

/// @file
/// What was measured for teams, kept between runs: a file `espalier-teams`, version 1.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "espalier/capi/onesided/choices/team_memory.hpp"

namespace espalier::capi {

/// Teams of one shape share what was measured.
struct TeamShape {
  std::string transport;  ///< of the conduit, by its name
  int num_ranks = 1;
  int num_nodes = 1;
  std::string placement;  ///< as placement_of(): what is best among nodes depends on it

  friend bool operator==(TeamShape const&, TeamShape const&) = default;
};

/// What is kept is measured anew after 30 days.
inline constexpr std::int64_t most_seconds_kept = 30LL * 24 * 60 * 60;

/// The part of a file that may serve teams of a conduit: of its transport, not too old.
/// @param origin  its name, for messages
/// @param now  seconds since 1970
/// @throws Error format, one line, if it is another file, of a later version, or damaged.
[[nodiscard]] std::string usable_part(
    std::string_view document, std::string_view origin, std::string_view transport, std::int64_t now
);

/// What a usable part says of a shape, as of an earlier run. Algorithms that this version does not
/// know are left out; another one may have written them.
/// @param usable  empty: there is nothing
[[nodiscard]] TeamMemory kept_memory(std::string_view usable, TeamShape const& shape);

/// A file with what was measured in place of what it said of the same request of this shape; of the
/// latest 256 entries. All others stay as they are.
/// @param document  empty: there is no file
/// @throws Error as usable_part().
[[nodiscard]] std::string with_measured(
    std::string_view document,
    std::string_view origin,
    TeamShape const& shape,
    Measured const& measured,
    std::int64_t now
);

}  // namespace espalier::capi
