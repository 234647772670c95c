// SPDX-License-Identifier: Apache-2.0

/// @file
/// When counting begins and ends. Includes no mpi.h, as its declarations contradict the wrappers.

#pragma once

#include "shim/handle.hpp"

namespace espalier::shim::traffic {

int init(int* argc, char*** argv);
int init_thread(int* argc, char*** argv, int required, int* provided);
int finalize();
int abort(Handle comm, int errorcode);

}  // namespace espalier::shim::traffic
