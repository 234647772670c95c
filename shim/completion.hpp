// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::shim {

/// Handler of MPI_Waitall. MPICH 4.0 ends the program if a generalized request, such as those of
/// our nonblocking collectives, is not complete after its first look: while any is underway, all
/// requests are tested again and again.
int waitall(int count, void* array_of_requests, void* array_of_statuses);

}  // namespace espalier::shim
