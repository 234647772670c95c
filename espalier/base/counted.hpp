// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

namespace espalier {

/// `1 core`, `2 cores`.
[[nodiscard]] std::string counted(std::int64_t number, std::string const& noun);

}  // namespace espalier
