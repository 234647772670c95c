// SPDX-License-Identifier: Apache-2.0

/// @file
/// Broadcasts and reductions of our own, made from messages, for what measuring programs have to
/// tell their ranks: collectives of the MPI library run only where they are measured. A call of
/// another size right before the measured one could meet it in the library's caches, algorithms and
/// message queues.
///
///     broadcast, 6 ranks: 0 -> 4       combine: the same tree upwards
///                        0 -> 2, 4 -> (6)
///                        0 -> 1, 2 -> 3, 4 -> 5

#pragma once

#include <cstddef>

#include <mpi.h>

namespace espalier::measure {

/// Collective: the bytes of `root` on all ranks.
/// @throws Error mpi
void broadcast(void* data, std::size_t num_bytes, int root, MPI_Comm comm);

/// Collective: combines element by element, on rank 0; other ranks are left with parts of the
/// result. The operation may take operands in any order.
/// @throws Error mpi
void combine(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

/// Collective: combine(), with the result on all ranks.
/// @throws Error mpi
void combine_for_all(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

}  // namespace espalier::measure
