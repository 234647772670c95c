// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "espalier/algorithms/algorithm.hpp"

namespace espalier::algorithms {

/// What a choice takes whatever its algorithm: see Choice.
namespace common_keys {

inline constexpr std::string_view segments = "segments";
inline constexpr std::string_view burst = "burst";
inline constexpr std::string_view dealt = "dealt";

}  // namespace common_keys

/// `allgather/ring`.
[[nodiscard]] std::string full_name(Algorithm const& algorithm);

/// The same arguments, checked, in the order of the parameters.
/// @throws Error argument for an unknown key, or a value out of range.
[[nodiscard]] Arguments canonical(Algorithm const& algorithm, Arguments const& given);

}  // namespace espalier::algorithms
