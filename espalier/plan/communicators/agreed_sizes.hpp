// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the ranks tell each other, when they make a persistent request, of sizes that not all of
/// them know: those of gatherv, scatterv, alltoallv and alltoallw. MPI lets an initialisation wait
/// for other ranks, so nobody waits who may not. The same holds for a blocking call, where it is
/// done once, see kept_sizes.hpp.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mpi.h>

#include "espalier/exec/messages/mpi_context.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// The size by which rules decide: all parts of a gatherv or scatterv, and of an alltoallv or
/// alltoallw what a rank sends on average, rounded up. So it is that of the call with blocks of one
/// size if they have one. None on all ranks if one of them cannot take part. Collective over comm.
/// @param own_bytes  of this rank, as own_bytes() of the call
/// @throws Error mpi.
[[nodiscard]] std::optional<std::int64_t>
agreed_bytes(profile::Call call, MPI_Comm comm, bool takes_part, std::int64_t own_bytes);

/// What the root knows, on all ranks: bytes of the part of each rank. Collective over context.
/// @param bytes  those of the root; only their number is looked at on others
/// @throws Error mpi.
[[nodiscard]] std::vector<std::int64_t> part_sizes_of_root(
    std::vector<std::int64_t> bytes, int root, int rank, exec::MpiContext const& context
);

}  // namespace espalier::plan
