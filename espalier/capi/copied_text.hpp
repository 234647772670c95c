// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace espalier::capi {

/// What functions with `text` and `len` do.
/// @param to  gets the text, cut to `len` characters with the closing 0; null: nothing
/// @return length of the whole text without the closing 0
inline int copied_text(std::string_view text, char* to, int len) noexcept {
  if (to != nullptr && len > 0) {
    auto const size = std::min(text.size(), static_cast<std::size_t>(len) - 1);
    *std::copy_n(text.begin(), size, to) = '\0';
  }
  return static_cast<int>(text.size());
}

}  // namespace espalier::capi
