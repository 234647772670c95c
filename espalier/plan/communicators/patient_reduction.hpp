// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>

#include <mpi.h>

namespace espalier::plan {

/// Replaces words by the largest of all ranks. Another rank may come here only after it has
/// completed what is underway with this one, so that moves on meanwhile. Collective over the
/// communicator, which is ours: on those of the program, a nonblocking call that failed on some
/// ranks only may have put the numbers of later ones out of step. Simulated ranks wait.
/// @return as MPI_Allreduce
int find_largest(std::span<std::int64_t> words, MPI_Comm comm) noexcept;

}  // namespace espalier::plan
