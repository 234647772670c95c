// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace espalier::plan {

/// Ranks in their order as ranges: "0-3,8" for 0, 1, 2, 3, 8, and "0-12:4" for 0, 4, 8, 12.
/// @return an empty text if it would be longer than `most_characters`.
[[nodiscard]] std::string rank_ranges(std::span<int const> ranks, std::size_t most_characters);

}  // namespace espalier::plan
