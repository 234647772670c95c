// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/table.hpp"

#include <algorithm>
#include <cstddef>

#include "espalier/base/format.hpp"

namespace espalier::verify {

std::string table_text(std::vector<Row> const& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (Row const& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size() + (i == 0 ? 5 : 3));
    }
  }
  std::string text;
  for (Row const& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += formatted("{:<{}}", row[i], widths[i]);
    }
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace espalier::verify
