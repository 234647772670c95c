// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/plan/settings/settings.hpp"
#include "espalier/plan/topologies/places.hpp"

namespace espalier::capi {

// The variables that the C interface reads. Local.

/// ESPALIER_MACHINE: the text of a machine, or the path of a file that holds it.
[[nodiscard]] plan::MachineText described_machine();

/// What decides for collectives that name no algorithm, as under the preload library: ESPALIER_OFF,
/// ESPALIER_FORCE, and ESPALIER_PROFILE with the content of the file.
[[nodiscard]] plan::SettingsText settings_of_collectives();

}  // namespace espalier::capi
