// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace espalier::verify {

using Row = std::vector<std::string>;

/// Rows of as many cells as the first, one line each, in columns; the first is set apart.
[[nodiscard]] std::string table_text(std::vector<Row> const& rows);

}  // namespace espalier::verify
