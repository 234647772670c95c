// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "espalier/exec/layout.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::exec {

/// Sends a run of blocks that wraps around the end of the output as two messages, when it has at
/// least min_bytes: MPI libraries hand a large message over in one copy only if it is one piece of
/// memory.
///
/// The cut is made by block numbers and bytes, which are the same on all ranks, so both sides of
/// every message find the same cut. Dataflow programs and programs that use scratch memory are left
/// as they are.
[[nodiscard]] schedule::RankProgram unwrap(
    schedule::RankProgram program,
    Layout const& output,
    std::int64_t element_bytes,
    std::int64_t min_bytes
);

}  // namespace espalier::exec
