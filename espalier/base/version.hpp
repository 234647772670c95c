// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace espalier {

inline constexpr std::string_view version = "0.1.0";

}  // namespace espalier
