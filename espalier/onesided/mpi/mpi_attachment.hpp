// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mpi.h>

#include "espalier/mpi/own_communicator.hpp"

namespace espalier::onesided {

/// What one rank comes with, as all ranks know it. Collective.
/// @param comm  its errors are returned
/// @throws Error mpi; argument, on all ranks, if some have other numbers of handlers than rank 0.
[[nodiscard]] std::vector<std::uint64_t>
exchange_sizes(MPI_Comm comm, std::uint64_t segment_bytes, std::size_t num_handlers);

/// One number of each rank. Collective.
/// @throws Error mpi.
[[nodiscard]] std::vector<std::uint64_t> gather_all(MPI_Comm comm, std::uint64_t value);

/// The ranks of a communicator on the node of this one. Collective.
/// @throws Error mpi.
[[nodiscard]] mpi::OwnCommunicator ranks_of_node(MPI_Comm comm);

/// The node of each rank, as the first of the ranks on it. Collective.
/// @throws Error mpi.
[[nodiscard]] std::vector<int> nodes_of_ranks(MPI_Comm comm);

}  // namespace espalier::onesided
