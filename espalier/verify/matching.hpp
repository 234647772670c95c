// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <vector>

#include "espalier/verify/cells.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// For each operation the number of the other end of its message in the other rank's program.
struct Matching {
  std::vector<int> partner;  ///< by AllOperations::index; -1 for copy and reduce
  std::optional<Violation> violation;
};

/// Finds the partner of each message, and rules `tag_reuse`, `unmatched` and `size`.
///
/// With equal blocks `size` counts blocks, and does not look at their labels. Messages of a pair
/// and direction with one tag are matched in program order, which is right only if they start in
/// that order; that is what `tag_reuse` is about.
[[nodiscard]] Matching match_messages(AllOperations const& all, bool has_equal_blocks);

}  // namespace espalier::verify
