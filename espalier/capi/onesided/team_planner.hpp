// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>

#include "espalier/capi/onesided/team_call.hpp"
#include "espalier/capi/onesided/team_options.hpp"
#include "espalier/onesided/team/planned_collective.hpp"
#include "espalier/onesided/team/team.hpp"
#include "espalier/schedule/one_sided.hpp"

namespace espalier::capi {

/// A collective of a team, and what it was planned with.
struct TeamPlan {
  std::string algorithm;
  schedule::Mechanism mechanism = schedule::Mechanism::signaling_put;
  std::shared_ptr<onesided::PlannedCollective const> collective;
};

/// Plans a collective with what the options name, and chooses the rest. Waits for nobody; equal on
/// all members.
/// @throws Error argument if what is named cannot serve, with what can; no_memory if the scratch
///     space of the team does not suffice for any choice.
[[nodiscard]] TeamPlan plan_for(
    onesided::Team const& team,
    TeamCall const& call,
    TeamElements const& elements,
    TeamOptions const& options
);

}  // namespace espalier::capi
