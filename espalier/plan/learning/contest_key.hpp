// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "espalier/plan/learning/kind_of_calls.hpp"

namespace espalier::plan {

/// Of a kind of calls on communicators of the same ranks: hardly ever the same for other calls or
/// other ranks, in whatever order these are.
/// @param world_ranks  the ranks of a communicator in MPI_COMM_WORLD; empty: the same
[[nodiscard]] std::uint64_t
contest_key(std::vector<int> const& world_ranks, KindOfCalls const& kind);

}  // namespace espalier::plan
