// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include <mpi.h>

#include "espalier/onesided/ucx/ucx_peer.hpp"

namespace espalier::onesided {

/// What all ranks tell each other. Collective.
/// @throws Error mpi; unsupported, on all ranks, if it is more than an int counts.
[[nodiscard]] std::vector<UcxContact> exchange_contacts(MPI_Comm comm, UcxContact const& own);

/// For each rank of a communicator, whether it is on the node of this one. Collective.
/// @throws Error mpi.
[[nodiscard]] std::vector<bool> find_neighbors(MPI_Comm comm);

}  // namespace espalier::onesided
