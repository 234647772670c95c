// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <mpi.h>

#include "espalier/onesided/conduit.hpp"

namespace espalier::onesided {

/// Whose end becomes an Error on ranks that still talk to them. UCX 1.13 cannot notice it through
/// shared memory, so where it has to, ranks of a node use what there is between nodes.
enum class UcxWatch : std::uint8_t { other_nodes, all_ranks };

/// Whether this process finds the library of UCX.
[[nodiscard]] bool has_ucx() noexcept;

/// The conduit of networks that UCX knows, for ranks of an MPI program. Collective over comm, which
/// may be freed afterwards, and so is its end, which must come before that of MPI, and waits for
/// all ranks. MPI starts it, and is looked at while this rank waits; all else is UCX. Messages that
/// no handler got by its end are lost.
///
/// Where a connection has failed, calls that poll throw Error io, and the conduit can only be
/// ended, which then waits for nobody.
/// @throws Error, on all ranks: argument for handlers, unsupported and no_memory if UCX of a rank
///     cannot; mpi.
[[nodiscard]] std::unique_ptr<Conduit> attach_ucx(
    MPI_Comm comm,
    std::uint64_t segment_bytes,
    std::vector<Handler> handlers,
    UcxWatch watch = UcxWatch::other_nodes
);

}  // namespace espalier::onesided
