// SPDX-License-Identifier: Apache-2.0

/// @file
/// What programs learn, kept in a file between their runs (ESPALIER_MEMORY).

#pragma once

#include <string>

#include "espalier/plan/session.hpp"
#include "espalier/plan/settings/settings_text.hpp"

namespace espalier::shim {

/// Names and reads the file. On rank 0.
/// @param text  with memory_path as the user named it: a path, `off`, or empty for the place below
///     XDG_STATE_HOME that belongs to this MPI, kind of processor and network
void read_memory(plan::SettingsText& text, std::string const& library_version);

/// Says what program and how many ranks these are, for who keeps a memory. On rank 0, after
/// MPI_Init.
/// @throws Error mpi.
void name_program(plan::SettingsText& text);

/// What a program that learns has taken so far. On rank 0.
struct Times {
  double startup_seconds = 0;  ///< of MPI_Init, for Espalier
  double seconds = 0;          ///< since then
};

/// Adds what was learned to the file, on rank 0, from all ranks: what other programs added since
/// stays. A problem is one line, and the file is as it was. Collective over MPI_COMM_WORLD.
/// @param is_first  false if this rank has called remember_alone()
/// @throws Error mpi.
void remember(
    plan::Session& session, std::string const& library_version, Times const& times, bool is_first
);

/// The same of what rank 0 itself knows, for programs that end without MPI_Finalize. Calls nothing
/// of MPI.
void remember_alone(
    plan::Session& session, std::string const& library_version, Times const& times
) noexcept;

}  // namespace espalier::shim
