// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>

#include "espalier/capi/onesided/team_object.hpp"

namespace espalier::capi {

/// @throws Error argument unless there are none.
void check_requests_freed(std::size_t num_requests);

/// Ends all that these teams exchange. Collective over the members of each of them, for all of
/// which it waits; what is underway elsewhere on the conduit goes on meanwhile. Afterwards nothing
/// is written to their scratch space on this rank any more, and it is zero and free again.
void end_teams(espalier_conduit& conduit, std::span<espalier_team* const> teams);

}  // namespace espalier::capi
