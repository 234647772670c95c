// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace espalier::machine {

/// The exponent of ten of microseconds, for scaled().
inline constexpr int micro = -6;

/// value * 10^exponent, computed on the first 15 decimal digits of a finite value: 300 ns and 0.3
/// us are the same number of seconds, and what is written in another unit is read back unchanged.
[[nodiscard]] double scaled(double value, int exponent);

/// The fewest digits that mean this value.
[[nodiscard]] std::string digits_of(double value);

/// All of the text as a finite number of at least 0.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// All of the text as an integer of at least 1.
[[nodiscard]] std::optional<int> parse_count(std::string_view text);

}  // namespace espalier::machine
