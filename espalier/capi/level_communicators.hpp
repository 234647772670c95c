// SPDX-License-Identifier: Apache-2.0

/// @file
/// Levels of the hardware as the program has them: communicators inside communicators.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/mapping/places.hpp"
#include "espalier/mpi/own_communicator.hpp"

namespace espalier::capi {

/// Splits by the first type, then the parts by the second, and so on. Ends early on a rank that is
/// in no part. Collective.
[[nodiscard]] std::vector<mpi::OwnCommunicator>
split_by_types(mpi::OwnCommunicator const& own, std::span<int const> split_types);

/// Of each level the lowest rank, in `own`, of the part that this rank is in; -1 if it is in none,
/// or the part reaches beyond `own`. Local.
/// @throws Error mpi.
[[nodiscard]] std::vector<int>
lowest_ranks(mpi::OwnCommunicator const& own, std::span<MPI_Comm const> levels, int num_levels);

/// The places that parts make, on rank 0, nothing on the others. Collective.
/// @param lowest of this rank, as lowest_ranks() has them; of all levels, on every rank.
/// @throws plan::ClassError of the class MPI_ERR_TOPOLOGY, on all ranks, if a rank is in no part,
/// or
///   a part is not inside one of the level before.
[[nodiscard]] std::optional<mapping::Places>
gather_places(mpi::OwnCommunicator const& own, std::span<int const> lowest);

}  // namespace espalier::capi
