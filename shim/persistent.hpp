// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::shim {

// Handlers of the functions of the same names in espalier/calls/functions.json. Requests of
// persistent collectives of ours are found among those of the MPI library by their handles.

/// Starts the schedule beside the request. One whose schedule is underway is an error of class
/// MPI_ERR_REQUEST.
int start(void* request);
int startall(int count, void* array_of_requests);
int request_free(void* request);
/// Collectives cannot be cancelled: an error of class MPI_ERR_REQUEST.
int cancel(void* request);

}  // namespace espalier::shim
