// SPDX-License-Identifier: Apache-2.0

/// @file
/// Programs for calls in which a rank has less memory than the program wants: what is missing
/// becomes scratch memory, with copies at the start or at the end.

#pragma once

#include "espalier/schedule/collective.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// True if the program reads or writes an output block outside the run.
[[nodiscard]] bool touches_output_outside(RankProgram const& program, BlockRun const& run);

/// The same program with all output blocks in scratch memory; `results` are copied to the output
/// when everything else is complete, sends too, so that their place may be that of the input.
[[nodiscard]] RankProgram with_private_output(RankProgram program, BlockRun const& results);

/// The program of an alltoall whose contribution stands in the output: it is copied to scratch
/// memory first, and the program sends from there.
[[nodiscard]] RankProgram with_private_input(RankProgram program);

/// The program of a root that contributes all output blocks and writes none of them, with the
/// input in their place.
[[nodiscard]] RankProgram with_input_for_output(RankProgram program);

/// A program of the catalog, for the memory that an MPI call gives this rank: the send buffer is
/// the input and the receive buffer the output, both with the blocks that MPI says they have. In
/// place:
/// - scatter: the root keeps its part where it is, in the input;
/// - reduce_scatter: the input and the result begin at the same address;
/// - alltoall, gather and the others: the contribution stands in the output.
/// @param is_in_place  Of this rank: only the root of a rooted collective may be.
[[nodiscard]] RankProgram
as_called(RankProgram program, Collective collective, int root, bool is_in_place);

}  // namespace espalier::schedule
