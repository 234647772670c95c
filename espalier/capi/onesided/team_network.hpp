// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "espalier/capi/onesided/team_exchange.hpp"
#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/cost/forms/loggp.hpp"

namespace espalier::capi {

/// The parameters of LogGP, as the members of a team see them, from three broadcasts of the team
/// whose times the model knows:
///
///     chain of 8 bytes    (p - 1) (o + g + 8 G + L)        what one hop takes
///     chain of n bytes    (p - 1) (o + g + n G + L)        what a byte takes
///     flat of 8 bytes     (p - 1) (g + 8 G) + o + L        what follows what
///
/// Broadcasts cannot tell o from L; all of it is L. That is rough, and enough to say which
/// candidates are worth a trial (Guide). Times are in seconds, and the same on all members.
///
/// Collective, in the order in which members start collectives.
/// @return none, on all members, if there is one member only, or its scratch space does not
/// suffice.
[[nodiscard]] std::optional<cost::LogGP>
measured_network(espalier_team& team, TeamExchange& exchange);

}  // namespace espalier::capi
