// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>

#include <mpi.h>

namespace espalier::plan {

/// Replaces words by the largest of all ranks. Collective over the communicator.
/// @return as MPI_Allreduce
using FindLargest = int (*)(std::span<std::int64_t> words, MPI_Comm comm) noexcept;

/// Another rank may come here only after it has completed what is underway with this one, so that
/// moves on meanwhile, whatever the MPI library does. The communicator is ours: on those of the
/// program, a nonblocking call that failed on some ranks only may have put the numbers of later
/// ones out of step. Simulated ranks wait.
int find_largest(std::span<std::int64_t> words, MPI_Comm comm) noexcept;

/// Waits in the MPI library, which moves on what is underway if it can be made to.
int find_largest_at_once(std::span<std::int64_t> words, MPI_Comm comm) noexcept;

}  // namespace espalier::plan
