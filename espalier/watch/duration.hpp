// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "espalier/watch/clock.hpp"

namespace espalier::watch {

/// `500ms`, `30s`, `2min`, or `30` for seconds, as nanoseconds. None for anything else, also for 0
/// and for more than a year.
[[nodiscard]] std::optional<Time> parse_duration(std::string_view text);

/// For people, as in `250 ms`, `1.5 s`, `30 s`, `20 min`; rounded down.
[[nodiscard]] std::string duration_text(Time nanoseconds);

}  // namespace espalier::watch
