// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "shim/handle.hpp"

namespace espalier::shim {

/// The end of a function that makes a communicator: its ranks get ready to be served, where
/// anything is. Collective over the new communicator.
/// @param code  of the function, MPI_SUCCESS if it made one
/// @param comm  where the function put it
/// @return the code, or that of an error on the new communicator.
int made(int code, void const* comm);

// Handlers of the functions of the same names in espalier/calls/functions.json: what their info
// says of tuning is heeded.
int comm_dup_with_info(Handle comm, Handle info, void* newcomm);
int comm_set_info(Handle comm, Handle info);

}  // namespace espalier::shim
