// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <mpi.h>

#include "espalier/onesided/conduit.hpp"

namespace espalier::onesided {

/// The conduit of processes of one node, through memory that they share. Collective over comm,
/// which may be freed afterwards, and so is its end, which must come before that of MPI.
/// @throws Error, on all ranks: argument for handlers, unsupported if they are on several nodes,
///     no_memory; mpi.
[[nodiscard]] std::unique_ptr<Conduit>
attach_node(MPI_Comm comm, std::uint64_t segment_bytes, std::vector<Handler> handlers);

}  // namespace espalier::onesided
