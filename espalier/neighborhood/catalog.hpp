// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "espalier/neighborhood/algorithm.hpp"

namespace espalier::neighborhood {

/// All algorithms, in the order of espalier/neighborhood/CMakeLists.txt.
[[nodiscard]] std::span<Algorithm const* const> catalog() noexcept;

/// @throws Error argument with the valid names if there is no such algorithm.
[[nodiscard]] Algorithm const& find(Collective collective, std::string_view name);
/// By the full name: `neighbor_alltoall/combining`.
[[nodiscard]] Algorithm const& find(std::string_view full_name);
[[nodiscard]] std::string full_name(Algorithm const& algorithm);

/// Empty if the algorithm can serve the request, otherwise what was expected and found. The same on
/// all ranks.
[[nodiscard]] std::string refuses(Algorithm const& algorithm, Request const& request);

/// The program of one rank.
/// @throws Error unsupported if refuses() is not empty; argument if rank is out of range.
[[nodiscard]] schedule::RankProgram
generate(Algorithm const& algorithm, Request const& request, int rank);

}  // namespace espalier::neighborhood
