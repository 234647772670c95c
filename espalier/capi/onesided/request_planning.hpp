// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <memory>
#include <span>

#include "include/espalier_onesided.h"

#include "espalier/capi/onesided/team_buffers.hpp"
#include "espalier/capi/onesided/team_call.hpp"
#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/capi/onesided/team_options.hpp"
#include "espalier/capi/onesided/team_request.hpp"

namespace espalier::capi {

/// Checks a call, and plans it. Local: all members know where buffers are, or none does.
/// @throws plan::ClassError, Error.
[[nodiscard]] std::unique_ptr<TeamRequest>
plan_request(espalier_team& team, TeamCall const& call, TeamOptions options);

/// The same where this member knows where the buffers of all are.
/// @param places  by rank; not looked at with local addresses
/// @throws plan::ClassError, Error.
[[nodiscard]] std::unique_ptr<TeamRequest> plan_request(
    espalier_team& team,
    TeamCall const& call,
    TeamOptions const& options,
    std::span<BufferOffsets const> places
);

/// Says what is called, or throws.
using CallOf = std::function<TeamCall()>;

/// The same after members have told each other where theirs are; symmetric addresses are equal.
/// Collective, in the order in which members start collectives; what is wrong on one member is an
/// error on all of them.
/// @throws plan::ClassError, Error.
[[nodiscard]] std::unique_ptr<TeamRequest>
plan_together(espalier_team& team, CallOf const& call_of, espalier_onesided_options const* given);

/// Whether members plan together: where they tell each other where buffers are, and where symmetric
/// addresses are checked. The rest of the options may be wrong.
[[nodiscard]] bool
are_together(espalier_team const& team, espalier_onesided_options const* given) noexcept;

/// What a program asks for, which is to be stored in *request: null if it cannot be planned.
/// Collective if members plan together, else local.
/// @throws plan::ClassError, Error.
void plan_request(
    espalier_team& team,
    CallOf const& call_of,
    espalier_onesided_options const* given,
    espalier_request** request
);

}  // namespace espalier::capi
