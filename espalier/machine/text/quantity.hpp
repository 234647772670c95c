// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace espalier::machine {

/// A time such as 1.5us, 300ns, 2ms or 0s.
[[nodiscard]] std::optional<double> parse_seconds(std::string_view text);

/// A rate such as 12.5GB/s (10^9), 10GiB/s (2^30) or 100Gbit/s.
[[nodiscard]] std::optional<double> parse_bytes_per_second(std::string_view text);

/// A whole number of bytes such as 4096, 16KiB (2^10) or 64kB (10^3), below 2^53.
[[nodiscard]] std::optional<std::int64_t> parse_bytes(std::string_view text);

/// The inverse of the above, in the largest unit in which the number is at least 1; of times and
/// rates the first 15 digits.
[[nodiscard]] std::string seconds_text(double seconds);
[[nodiscard]] std::string bytes_per_second_text(double rate);
[[nodiscard]] std::string bytes_text(std::int64_t size);

}  // namespace espalier::machine
