// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace espalier {

/// 24 hexadecimal digits that nobody else draws; empty if the system has none.
[[nodiscard]] std::string drawn_name();

}  // namespace espalier
