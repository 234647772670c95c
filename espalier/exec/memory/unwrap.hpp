// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "espalier/exec/memory/layout.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::exec {

/// Sends a run of blocks that wraps around the end of the output as two messages, when it has at
/// least min_bytes: MPI libraries hand a large message over in one copy only if it is one piece of
/// memory.
///
/// The cut is made by labels and their sizes, which are the same on all ranks wherever the data
/// lie, so both sides of every message find the same cut. Dataflow programs and those of an
/// alltoall are left as they are.
[[nodiscard]] schedule::RankProgram unwrap(
    schedule::RankProgram program,
    Layout const& sizes,
    std::int64_t element_bytes,
    std::int64_t min_bytes
);

}  // namespace espalier::exec
