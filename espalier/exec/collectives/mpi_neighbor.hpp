// SPDX-License-Identifier: Apache-2.0

/// @file
/// Executors of neighborhood collectives: a block for each edge of a rank instead of each rank.
///
/// Input blocks stand in the order of the outgoing edges (an allgather has one), output blocks in
/// the order of the incoming ones. Blocks of absent neighbours are not touched.

#pragma once

#include <cstdint>
#include <vector>

#include "espalier/exec/collectives/mpi_collectives.hpp"
#include "espalier/exec/messages/mpi_executor.hpp"

namespace espalier::exec {

/// The same program with all its messages apart from those of another number: collectives that are
/// under way at the same time on one communicator need numbers of their own.
/// @throws Error unsupported for dataflow programs, which use tags themselves.
[[nodiscard]] schedule::RankProgram numbered(schedule::RankProgram program, int number);

/// @param scratch_bytes of each scratch block; what the program forwards is packed there.
/// @throws Error as the constructor of MpiExecutor.
[[nodiscard]] MpiExecutor neighbor_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    MpiBlocks input,
    MpiBlocks output,
    std::vector<std::int64_t> scratch_bytes
);

}  // namespace espalier::exec
