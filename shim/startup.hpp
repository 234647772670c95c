// SPDX-License-Identifier: Apache-2.0

/// @file
/// What all ranks of MPI_COMM_WORLD agree on at the end of MPI_Init. Uses the MPI library's own
/// collectives only.

#pragma once

#include <string>

#include "espalier/plan/session.hpp"
#include "espalier/plan/settings/settings.hpp"

namespace espalier::shim {

/// Collective over MPI_COMM_WORLD: the settings of rank 0.
/// @throws Error mpi.
[[nodiscard]] plan::SettingsText share_settings(std::string const& library_version);

/// Collective over MPI_COMM_WORLD.
/// @param needs_nodes false: nodes are not asked for, which costs communication.
/// @throws Error mpi.
[[nodiscard]] plan::Session::World describe_world(bool needs_nodes);

/// First line of what the MPI library says of itself, as in `Open MPI v4.1.4`.
[[nodiscard]] std::string library_version();

/// The vendor this library was built for, from that line: `openmpi`, `mpich`, `smpi` or empty.
[[nodiscard]] std::string vendor_of(std::string const& library_version);

}  // namespace espalier::shim
