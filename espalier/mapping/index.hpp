// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

namespace espalier::mapping {

/// The number of a rank, vertex, group or level as an index; number >= 0.
constexpr std::size_t at(int number) noexcept {
  return static_cast<std::size_t>(number);
}

}  // namespace espalier::mapping
