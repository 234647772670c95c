// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "espalier/capi/onesided/choices/guided_choices.hpp"
#include "espalier/capi/onesided/team_exchange.hpp"
#include "espalier/capi/onesided/team_object.hpp"

namespace espalier::capi {

/// The parameters of LogGP, as the members of a team see them, from three broadcasts of the team
/// whose times the model knows:
///
///     chain of 8 bytes    (p - 1) (o + g + 8 G + L)        what one hop takes
///     chain of n bytes    (p - 1) (o + g + n G + L)        what a byte takes
///     flat of 8 bytes     (p - 1) (g + 8 G) + o + L        what follows what
///
/// Where some members share nodes and others do not, a second pair of chains in another order, with
/// more messages between nodes, tells both kinds of messages apart.
///
/// Broadcasts cannot tell o from L; all of it is L. That is rough, and enough to say which
/// candidates are worth a trial (Guide). Times are in seconds, and the same on all members.
///
/// Collective, in the order in which members start collectives.
/// @return none, on all members, if there is one member only, or its scratch space does not
/// suffice.
[[nodiscard]] std::optional<TeamNetwork>
measured_network(espalier_team& team, TeamExchange& exchange);

}  // namespace espalier::capi
