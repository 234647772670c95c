// SPDX-License-Identifier: Apache-2.0

/// @file
/// The thread that makes progress while the program computes, with ESPALIER_PROGRESS=thread.

#pragma once

#include "espalier/plan/session.hpp"
#include "espalier/plan/settings/settings.hpp"

namespace espalier::shim {

/// Whether MPI_Init of this process has to ask for MPI_THREAD_MULTIPLE. Local, before MPI_Init.
[[nodiscard]] bool wants_all_threads();

/// Whether several threads of this process may call MPI at the same time. Local.
[[nodiscard]] bool may_call_concurrently() noexcept;

/// Whether this process could have the thread. Local.
[[nodiscard]] bool may_have_thread() noexcept;

/// Local, if it is asked for and calls can be started. Rank 0 says so if some rank cannot have it.
void start_progress_thread(plan::Session const& session);

/// Any number of times.
void stop_progress_thread() noexcept;

}  // namespace espalier::shim
