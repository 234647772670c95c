// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/replay/setting.hpp"
#include "espalier/cost/replay/sizes.hpp"
#include "espalier/cost/replay/steps.hpp"

namespace espalier::cost {

/// The steps of all ranks, matched.
/// @throws Error as Choice::generate and Steps::add.
[[nodiscard]] Steps matched_steps(
    algorithms::Choice const& choice, int root, Setting const& setting, Sizes const& sizes
);

}  // namespace espalier::cost
