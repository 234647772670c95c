// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstddef>
#include <span>
#include <vector>

#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// An operation of one of the programs.
struct Place {
  int rank = 0;
  int operation = 0;

  friend auto operator<=>(Place const&, Place const&) = default;
};

/// Which receive takes what a send sends: the messages of a pair match by tag, then in order.
class Partners {
public:
  /// @throws Error argument if a send or a receive is left over.
  explicit Partners(std::span<schedule::RankProgram const> programs);

  /// The receive of a send.
  [[nodiscard]] Place of(Place send) const {
    return receives_[static_cast<std::size_t>(send.rank)][static_cast<std::size_t>(send.operation)];
  }

private:
  std::vector<std::vector<Place>> receives_;  ///< by rank and operation
};

}  // namespace espalier::cost
