// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::shim {

// Handlers of the functions of the same names in espalier/calls/functions.json. While nonblocking
// collectives are counted, so is the time in these functions.

int wait(void* request, void* status);
int waitany(int num, void* requests, int* index, void* status);
int waitsome(int num, void* requests, int* num_complete, int* indices, void* statuses);
/// MPICH 4.0 ends the program if a generalized request, such as those of our nonblocking
/// collectives, is not complete after its first look: while any is underway, all requests are
/// tested again and again.
int waitall(int num, void* requests, void* statuses);

int test(void* request, int* flag, void* status);
int testany(int num, void* requests, int* index, int* flag, void* status);
int testsome(int num, void* requests, int* num_complete, int* indices, void* statuses);
int testall(int num, void* requests, int* flag, void* statuses);

}  // namespace espalier::shim
