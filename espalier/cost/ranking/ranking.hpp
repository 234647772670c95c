// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/replay/setting.hpp"
#include "espalier/cost/replay/sizes.hpp"

namespace espalier::cost {

struct Ranked {
  algorithms::Choice choice;
  double seconds = 0;
  /// False if the replay was given up: the choice needs at least `seconds`, and is not among the
  /// best.
  bool is_exact = true;
};

/// @throws Error argument unless num_best >= 1.
void require_best(int num_best);

/// The choices by the time that the replay says, best first; those that refuse this many ranks
/// are left out. The first num_best are exact; the others may be given up as soon as they are
/// known to be slower. Equal times keep the order of the choices.
/// @throws Error argument unless num_best >= 1.
[[nodiscard]] std::vector<Ranked> best(
    std::span<algorithms::Choice const> choices,
    int root,
    Setting const& setting,
    Sizes const& sizes,
    int num_best = 1
);

}  // namespace espalier::cost
