// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>

#include "espalier/mpi/own_communicator.hpp"

namespace espalier::plan {

/// Makes room for messages, on all ranks or with an error on all. Collective.
/// @param make  allocates, and may throw std::bad_alloc
/// @param wanted  what was expected, and what to do without it
/// @throws Error no_memory on all ranks if one has no room; mpi.
void make_room(
    mpi::OwnCommunicator const& own, std::function<void()> const& make, std::string const& wanted
);

}  // namespace espalier::plan
