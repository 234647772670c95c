// SPDX-License-Identifier: Apache-2.0

/// @file
/// From MPI_Init to MPI_Finalize, or to whatever ends the process before.

#pragma once

#include <atomic>

#include "shim/handle.hpp"

namespace espalier::plan {
class Session;
}  // namespace espalier::plan

namespace espalier::shim {

/// The session calls are decided in; null before MPI_Init, from MPI_Finalize on, and in programs
/// that have nothing to gain: every call is then handed over as it is.
extern constinit std::atomic<plan::Session*> active_session;

inline bool is_active() noexcept {
  return active_session.load(std::memory_order_relaxed) != nullptr;
}

// Handlers of the functions of the same names in espalier/calls/functions.json.
int init(int* argc, char*** argv);
int init_thread(int* argc, char*** argv, int required, int* provided);
int finalize();
int abort(Handle comm, int errorcode);

}  // namespace espalier::shim
