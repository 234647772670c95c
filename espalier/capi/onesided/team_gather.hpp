// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "espalier/capi/onesided/team_object.hpp"

namespace espalier::capi {

/// The numbers of all members, one list behind the other. Collective, in the order in which members
/// start collectives; waits for all of them while everything of the conduit goes on. Lists of any
/// length, the same on all members, pass through the scratch space of the team in short parts.
/// @throws Error no_memory, on all members, if the scratch space of the team is too small.
[[nodiscard]] std::vector<int> numbers_of_all(espalier_team& team, std::span<int const> own);

}  // namespace espalier::capi
