// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::shim {

/// Returns when all ranks of MPI_COMM_WORLD have called this. Before the first collective of ours:
/// a rank without this library would take it for one of the program, and each would read what the
/// other means. Says who does not come, and ends the job if they never do.
///
///     0 <- 1               Each rank tells the one that has a bit less when all behind it are
///     here; 0 <- 2 <- 3          then rank 0 tells all of them, by the same ways back. 0 <- 4 <- 5
///          4 <- 6 <- 7
///
/// Collective over MPI_COMM_WORLD.
/// @throws Error mpi.
void call_roll();

}  // namespace espalier::shim
