// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::machine {

/// A rule by which nodes get ranks in turns; nodes that are full are passed over.
struct Dealing {
  int at_a_time = 1;       ///< ranks a node gets in a turn; 0: as many as it has cores
  bool is_folded = false;  ///< every other turn goes from the last node to the first

  /// block, cyclic, cyclic:n or folded; nullopt for another text.
  static std::optional<Dealing> parse(std::string_view text);

  [[nodiscard]] std::string text() const;

  /// The node of each rank until all cores are taken.
  [[nodiscard]] std::vector<int> nodes(std::span<int const> cores_of_node) const;
};

}  // namespace espalier::machine
