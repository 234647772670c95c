// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace espalier::machine {

/// `rank 3`, `ranks 0-3,8`, or `all 8 ranks`.
[[nodiscard]] std::string ranks_text(std::vector<int> const& ranks, std::size_t num_ranks);

/// `a`, `a and b`, `a, b and c`, `a, b, c and 5 more`.
[[nodiscard]] std::string listed(std::vector<std::string> const& names);

/// `node a`, `nodes a and b`.
[[nodiscard]] std::string nodes_text(std::vector<std::string> const& names);

}  // namespace espalier::machine
