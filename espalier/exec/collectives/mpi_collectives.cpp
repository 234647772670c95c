// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives after which every rank has the same.

#include "espalier/exec/collectives/mpi_collectives.hpp"

#include <cstdint>
#include <utility>

#include "espalier/exec/collectives/mpi_blocks.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"
#include "espalier/schedule/private_memory.hpp"

namespace espalier::exec {

using schedule::Collective;
using schedule::RankProgram;

MpiExecutor barrier_executor(RankProgram const& program, MpiContext const& context) {
  return {program, {.context = context}};
}

MpiExecutor allgatherv_executor(
    RankProgram const& program, MpiContext const& context, TypedCount input, MpiBlocks output
) {
  MpiSpec spec{.context = context, .output = std::move(output)};
  bool const is_in_place = input.type == MPI_DATATYPE_NULL;
  if (!is_in_place) {
    spec.input = equal_blocks(1, input);
  }
  return {schedule::as_called(program, Collective::allgather, 0, is_in_place), spec};
}

MpiExecutor allgather_executor(
    RankProgram const& program, MpiContext const& context, TypedCount input, TypedCount block
) {
  return allgatherv_executor(program, context, input, equal_blocks(program.frame.num_ranks, block));
}

MpiExecutor allgatherv_executor(
    RankProgram const& program,
    MpiContext const& context,
    TypedCount input,
    MPI_Datatype output_type,
    Integers counts,
    Integers displacements
) {
  return allgatherv_executor(
      program, context, input, varying_blocks({output_type, counts, displacements})
  );
}

MpiExecutor bcast_executor(
    RankProgram const& program, MpiContext const& context, TypedCount message, int root
) {
  TypeShape const shape = describe(message.type);
  int const num_blocks = program.frame.num_output_blocks;
  if (num_blocks == 1) {
    return {program, {.context = context, .output = equal_blocks(1, message)}};
  }
  Layout const pieces = Layout::pieces(message.count * shape.size_bytes, num_blocks, 1);
  MpiSpec spec{.context = context, .output = {.layout = pieces}};
  if (!shape.is_gapless) {
    spec.packed = {.message = message, .contributes = program.rank == root};
  }
  return {program, spec};
}

}  // namespace espalier::exec
