// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "espalier/machine/job/discovery.hpp"
#include "espalier/machine/job/mpi_observation.hpp"

namespace espalier::machine {

/// observe() and discover(): the same result, or the same error, on all ranks.
///
/// Collective over comm; network must be equal on all ranks.
/// @throws Error mpi, or as discover().
[[nodiscard]] Discovery discover(
    MPI_Comm comm,
    Surroundings const& surroundings = Surroundings::here(),
    Network const& network = {}
);

}  // namespace espalier::machine
