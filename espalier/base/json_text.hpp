// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace espalier {

// Reading and writing JSON takes seconds in every source that does it; these are compiled once.

/// On one line, or with `indent` blanks for each level if that is at least 0. Bytes that are not
/// UTF-8, which names of hosts and texts of the environment may hold, are replaced.
[[nodiscard]] std::string json_text(nlohmann::json const& value, int indent = -1);
[[nodiscard]] std::string json_text(nlohmann::ordered_json const& value, int indent = -1);

/// @throws nlohmann::json::parse_error
[[nodiscard]] nlohmann::ordered_json parse_ordered_json(std::string_view text);

/// As bytes for another rank (CBOR).
[[nodiscard]] std::string json_bytes(nlohmann::json const& value);
/// @throws nlohmann::json::parse_error
[[nodiscard]] nlohmann::json parse_json_bytes(std::string_view bytes);

}  // namespace espalier
