// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/setting.hpp"

namespace espalier::cost {

/// What is worth trying where ranks are placed like this: algorithms::variants(); those with groups
/// that are the nodes, the objects of the next level, or both; and where ranks were dealt to nodes
/// in turn, all of these with the order of nodes (`dealt=`). Root 0 is accepted by all.
///
/// The groups are laid on runs of ranks, so nodes give none where ranks lie neither in blocks nor
/// in turns.
[[nodiscard]] std::vector<algorithms::Choice>
machine_variants(schedule::Collective collective, Setting const& setting);

}  // namespace espalier::cost
