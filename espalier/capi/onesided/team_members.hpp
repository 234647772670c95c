// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the members of a team find out together when it is made.

#pragma once

#include <cstdint>
#include <vector>

#include <mpi.h>

#include "espalier/capi/onesided/conduit_object.hpp"
#include "espalier/onesided/team/scratch_space.hpp"

namespace espalier::capi {

/// The rank on the conduit of each rank of a communicator. Local, and the same on all of them.
/// @throws Error mpi; argument if one of them is not on the conduit.
[[nodiscard]] std::vector<int> members_of(espalier_conduit const& conduit, MPI_Comm comm);

/// Takes scratch space at the same offset on all ranks of a communicator. Collective over it;
/// everything of the conduit goes on meanwhile.
/// @param problem  what is wrong on this rank; empty: nothing
/// @throws Error argument, on all of them, if one has a problem or asks for another size;
/// no_memory,
///     on all of them; mpi.
[[nodiscard]] onesided::Region take_scratch(
    espalier_conduit& conduit, MPI_Comm comm, std::uint64_t num_bytes, std::string const& problem
);

}  // namespace espalier::capi
