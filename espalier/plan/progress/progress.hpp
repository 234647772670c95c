// SPDX-License-Identifier: Apache-2.0

/// @file
/// Progress of our nonblocking collectives inside the MPI library: wherever it waits or polls, in
/// any of its functions, it is made to call us. So a program that waits for anything moves on what
/// other ranks wait for, as it does natively. There is no function of MPI for this;
/// `progress_openmpi.cpp`, `progress_mpich.cpp` or `progress_simulated.cpp` is linked.

#pragma once

namespace espalier::plan {

/// Moves on what is underway. @return how much was done.
using Poll = int (*)() noexcept;

/// Whether this MPI library can be made to call us. Local, after MPI_Init.
[[nodiscard]] bool can_follow_progress() noexcept;

/// Whether a ProgressThread may call it, too, if it has MPI_THREAD_MULTIPLE.
[[nodiscard]] bool may_have_progress_thread() noexcept;

/// From now on it does. Any number of times, from any thread.
void follow_progress(Poll poll) noexcept;

/// It does no longer: before MPI_Finalize.
void leave_progress() noexcept;

}  // namespace espalier::plan
