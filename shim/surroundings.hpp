// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the end of MPI_Init depends on where the program runs. `surroundings_real.cpp` or
/// `surroundings_simulated.cpp` is linked.

#pragma once

#include "espalier/machine/sources/occupancy.hpp"
#include "espalier/plan/settings/settings_text.hpp"

namespace espalier::shim {

/// Programs that were spawned inherit the environment; their ranks must not write over the files of
/// those who spawned them.
void separate_spawned(plan::SettingsText& text);

/// False in a simulation: all ranks are in one process and one thread runs at a time, so a watch
/// could not run beside them. The simulator itself says who waits.
[[nodiscard]] bool can_watch() noexcept;

/// Whether programs learn unless ESPALIER_LEARN says something else. False in a simulation, which
/// shows what it was asked to.
[[nodiscard]] bool learns_unasked() noexcept;

/// Of this rank. Unknown in a simulation, where each rank has one of its own.
[[nodiscard]] machine::ProcessorsOfRank processors();

/// Whether settings can be read before MPI_Init, by a process that knows its rank. False in a
/// simulation, where all ranks are in one process.
[[nodiscard]] bool reads_ahead() noexcept;

/// Whether programs in which learning is in vain may rest from it, by chance. False in a
/// simulation, where the same command gives the same times.
[[nodiscard]] bool may_rest() noexcept;

/// Whether statistics say on how many nodes communicators are, although it costs messages to know.
/// False in a simulation, where whoever reads them knows the machine, and no time should be lost.
[[nodiscard]] bool counts_nodes() noexcept;

/// Collective over MPI_COMM_WORLD. In a simulation all ranks leave at the same moment, as they
/// leave the simulator's MPI_Init: what they do then takes the time it takes without us. Else
/// nothing.
/// @throws Error mpi.
void start_together();

}  // namespace espalier::shim
