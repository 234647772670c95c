// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

namespace espalier::onesided {

/// Bytes of a cache line: what different ranks write lies in different ones.
inline constexpr std::size_t line_bytes = 64;

/// So many bytes, rounded up to whole lines.
[[nodiscard]] constexpr std::size_t whole_lines(std::size_t num_bytes) noexcept {
  return (num_bytes + line_bytes - 1) / line_bytes * line_bytes;
}

}  // namespace espalier::onesided
