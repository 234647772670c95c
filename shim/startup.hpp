// SPDX-License-Identifier: Apache-2.0

/// @file
/// What all ranks of MPI_COMM_WORLD agree on at the end of MPI_Init. Uses the MPI library's own
/// collectives only.

#pragma once

#include <optional>
#include <string>

#include "espalier/base/mpi_library.hpp"
#include "espalier/plan/session.hpp"
#include "espalier/plan/settings/settings_text.hpp"

namespace espalier::shim {

/// What rank 0 reads from its environment and from files. Local, also before MPI_Init.
[[nodiscard]] plan::SettingsText read_settings(std::string const& library_version);

/// Collective over MPI_COMM_WORLD: the settings of rank 0.
/// @param read  what read_settings() said on rank 0, if it was asked already
/// @throws Error mpi.
[[nodiscard]] plan::SettingsText
share_settings(std::optional<plan::SettingsText> read, MpiLibrary const& library);

/// What a session has to know of this rank and of the others. Equal on all ranks.
struct Questions {
  bool nodes = false;    ///< which ranks share a node; costs most
  bool devices = false;  ///< the memory of devices of this rank
  /// Whether all ranks can start nonblocking calls, and whether any rank has devices, or Fortran
  /// that writes into requests.
  bool traits = false;
};

/// Collective over MPI_COMM_WORLD.
/// @throws Error mpi.
[[nodiscard]] plan::Session::World
describe_world(Questions const& asked, std::string const& library_version);

}  // namespace espalier::shim
