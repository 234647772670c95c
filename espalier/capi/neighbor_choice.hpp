// SPDX-License-Identifier: Apache-2.0

/// @file
/// Which algorithm a call of espalier_neighbor.h gets.

#pragma once

#include <cstdint>

#include "espalier/capi/neighbor_objects.hpp"
#include "espalier/neighborhood/algorithm.hpp"
#include "espalier/plan/neighbors/neighbor_name.hpp"
#include "espalier/plan/neighbors/neighbors.hpp"

namespace espalier::capi {

[[nodiscard]] neighborhood::Algorithm const& direct(plan::NeighborCall call);

/// The one that the options name. Collective on the first call for an algorithm.
/// @throws Error unsupported, on all ranks, if it cannot serve the call.
[[nodiscard]] neighborhood::Algorithm const&
named(espalier_neighborhood& self, plan::NeighborCall call, plan::SizesBy sizes);

/// The fastest by prediction for blocks of this size; direct if links are not known.
[[nodiscard]] neighborhood::Algorithm const&
predicted(espalier_neighborhood& self, plan::NeighborCall call, std::int64_t bytes);

}  // namespace espalier::capi
