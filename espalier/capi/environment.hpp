// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "espalier/plan/orders/tree_order.hpp"
#include "espalier/plan/settings/settings_text.hpp"
#include "espalier/plan/topologies/places.hpp"

namespace espalier::capi {

// The variables that the C interface reads. Local.

/// The text of a machine, or the path of a file that holds it: of ESPALIER_MACHINE, unless a
/// program names one itself.
[[nodiscard]] plan::MachineText described_machine(std::string const& named = {});

/// Where measured distances are kept.
/// @param named  a path, "off", or empty: a file in the folder of ESPALIER_MEMORY, without that in
///   the folder of the user's state, named after the MPI and the kind of machine; none if
///   ESPALIER_MEMORY is "off", or the machine is simulated
/// @throws Error mpi.
[[nodiscard]] plan::CostsFile distances_file(std::string const& named);

/// Where what was measured for teams is kept, by the same rule as distances; empty: nowhere.
/// @throws Error mpi.
[[nodiscard]] std::string teams_file();

/// What decides for collectives that name no algorithm, as under the preload library: ESPALIER_OFF,
/// ESPALIER_FORCE, and ESPALIER_PROFILE with the content of the file.
[[nodiscard]] plan::SettingsText settings_of_collectives();

}  // namespace espalier::capi
