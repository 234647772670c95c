// SPDX-License-Identifier: Apache-2.0

/// @file
/// Sizes of blocks, and how a rank learns those of blocks that it hands on.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/exec/messages/mpi_executor.hpp"

namespace espalier::exec {

/// Bytes of data of each block, 0 for an empty one.
/// @throws Error mpi.
[[nodiscard]] std::vector<std::int64_t> bytes_of_blocks(MpiBlocks const& blocks);

/// How large the scratch blocks are if input blocks have these sizes: the program runs once, with
/// the sizes as its data, so that every rank learns what it will forward.
///
/// Collective over context, also for ranks whose programs have no scratch memory.
/// @throws Error mpi.
[[nodiscard]] std::vector<std::int64_t> scratch_sizes(
    schedule::RankProgram const& program,
    MpiContext const& context,
    std::span<std::int64_t const> input_bytes
);

}  // namespace espalier::exec
