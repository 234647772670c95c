// SPDX-License-Identifier: Apache-2.0

/// @file
/// From MPI_Init to MPI_Finalize, or to whatever ends the process before.

#pragma once

#include <atomic>

#include <mpi.h>

#include "espalier/plan/session.hpp"

namespace espalier::shim {

/// The session calls are decided in; null before MPI_Init, from MPI_Finalize on, and in programs
/// that have nothing to gain: every call is then handed over as it is.
extern constinit std::atomic<plan::Session*> active_session;

// Handlers of the functions of the same names in functions.json.
int init(int* argc, char*** argv);
int init_thread(int* argc, char*** argv, int required, int* provided);
int finalize();
int abort(MPI_Comm comm, int errorcode);

}  // namespace espalier::shim
