// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <span>

#include <mpi.h>

#include "espalier/exec/mpi_datatype.hpp"
#include "espalier/exec/mpi_executor.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::exec {
namespace {

/// The program with a copy of the contribution in front, where it is separate and not yet copied.
MpiExecutor gathering_executor(schedule::RankProgram const& program, MpiSpec const& spec) {
  bool const needs_copy = spec.input.type != MPI_DATATYPE_NULL &&
                          program.frame.num_blocks(schedule::Buffer::input) == 0;
  return needs_copy ? MpiExecutor(schedule::from_input(program, program.rank), spec)
                    : MpiExecutor(program, spec);
}

}  // namespace

MpiExecutor allgather_executor(
    schedule::RankProgram const& program, MPI_Comm comm, TypedCount input, TypedCount block
) {
  MpiSpec const spec{
      .comm = comm,
      .output_type = block.type,
      .output =
          Layout::uniform(program.frame.num_ranks, block.count, describe(block.type).extent_bytes),
      .input = input,
  };
  return gathering_executor(program, spec);
}

MpiExecutor allgatherv_executor(
    schedule::RankProgram const& program,
    MPI_Comm comm,
    TypedCount input,
    MPI_Datatype output_type,
    std::span<int const> counts,
    std::span<int const> displacements
) {
  MpiSpec const spec{
      .comm = comm,
      .output_type = output_type,
      .output = Layout::varying(counts, displacements, describe(output_type).extent_bytes),
      .input = input,
  };
  return gathering_executor(program, spec);
}

MpiExecutor
bcast_executor(schedule::RankProgram const& program, MPI_Comm comm, TypedCount message, int root) {
  TypeShape const shape = describe(message.type);
  int const num_blocks = program.frame.num_output_blocks;
  if (num_blocks == 1) {
    return {
        program,
        {.comm = comm,
         .output_type = message.type,
         .output = Layout::uniform(1, message.count, shape.extent_bytes)},
    };
  }
  MpiSpec spec{
      .comm = comm,
      .output_type = MPI_BYTE,
      .output = Layout::pieces(message.count * shape.size_bytes, num_blocks, 1),
  };
  if (!shape.is_gapless) {
    spec.packed = {.message = message, .contributes = program.rank == root};
  }
  return {program, spec};
}

}  // namespace espalier::exec
