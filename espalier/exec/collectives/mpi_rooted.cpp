// SPDX-License-Identifier: Apache-2.0

/// @file
/// Scatter and gather: the root has all blocks, other ranks have their own.

#include <cstdint>

#include "espalier/exec/collectives/mpi_blocks.hpp"
#include "espalier/exec/collectives/mpi_collectives.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"
#include "espalier/schedule/private_memory.hpp"

namespace espalier::exec {
namespace {

using schedule::Collective;
using schedule::RankProgram;

/// A part that begins at the address, as block `index`; the others are elsewhere.
MpiBlocks one_of(int num_blocks, int index, TypedCount const& part) {
  MpiBlocks result = equal_blocks(1, part);
  result.layout = result.layout.within(num_blocks, index);
  return result;
}

MpiBlocks no_memory(int num_blocks) {
  return {.layout = Layout::uniform(0, 0, 1).within(num_blocks, 0)};
}

/// All sizes if they are known on a rank that is not the root, its own otherwise.
MpiBlocks sizes_of(RankProgram const& program, TypedCount const& part, VaryingBlocks const& all) {
  if (all.counts.empty()) {
    return one_of(program.frame.num_output_blocks, program.rank, part);
  }
  std::int64_t const extent_bytes = describe(all.type).extent_bytes;
  return {.type = all.type, .layout = Layout::varying(all.counts, all.counts, extent_bytes)};
}

MpiExecutor root_of_scatter(
    RankProgram const& program, MpiContext const& context, MpiBlocks const& send, TypedCount recv
) {
  int const num_blocks = program.frame.num_output_blocks;
  MpiSpec spec{.context = context, .output = no_memory(num_blocks), .input = send, .sizes = send};
  bool const is_in_place = recv.type == MPI_DATATYPE_NULL;
  if (!is_in_place) {
    spec.output = one_of(num_blocks, program.rank, recv);
  }
  return {schedule::as_called(program, Collective::scatter, program.rank, is_in_place), spec};
}

MpiExecutor root_of_gather(
    RankProgram const& program, MpiContext const& context, TypedCount send, MpiBlocks const& recv
) {
  MpiSpec spec{.context = context, .output = recv};
  bool const is_in_place = send.type == MPI_DATATYPE_NULL;
  if (!is_in_place) {
    spec.input = equal_blocks(1, send);
  }
  return {schedule::as_called(program, Collective::gather, program.rank, is_in_place), spec};
}

MpiExecutor leaf_of_gather(
    RankProgram const& program,
    MpiContext const& context,
    TypedCount send,
    MpiBlocks const& sizes,
    int root
) {
  MpiSpec const spec{
      .context = context,
      .output = no_memory(program.frame.num_output_blocks),
      .input = equal_blocks(1, send),
      .sizes = sizes,
  };
  return {schedule::as_called(program, Collective::gather, root, false), spec};
}

}  // namespace

MpiExecutor scatter_executor(
    RankProgram const& program,
    MpiContext const& context,
    TypedCount send,
    TypedCount recv,
    int root
) {
  int const num_ranks = program.frame.num_ranks;
  if (program.rank == root) {
    return root_of_scatter(program, context, equal_blocks(num_ranks, send), recv);
  }
  MpiSpec const spec{
      .context = context,
      .output = one_of(program.frame.num_output_blocks, program.rank, recv),
      .sizes = equal_blocks(num_ranks, recv),
  };
  return {program, spec};
}

MpiExecutor scatterv_executor(
    RankProgram const& program,
    MpiContext const& context,
    VaryingBlocks const& send,
    TypedCount recv,
    int root
) {
  if (program.rank == root) {
    return root_of_scatter(program, context, varying_blocks(send), recv);
  }
  MpiSpec const spec{
      .context = context,
      .output = one_of(program.frame.num_output_blocks, program.rank, recv),
      .sizes = sizes_of(program, recv, send),
  };
  return {program, spec};
}

MpiExecutor gather_executor(
    RankProgram const& program,
    MpiContext const& context,
    TypedCount send,
    TypedCount recv,
    int root
) {
  int const num_ranks = program.frame.num_ranks;
  return program.rank == root
             ? root_of_gather(program, context, send, equal_blocks(num_ranks, recv))
             : leaf_of_gather(program, context, send, equal_blocks(num_ranks, send), root);
}

MpiExecutor gatherv_executor(
    RankProgram const& program,
    MpiContext const& context,
    TypedCount send,
    VaryingBlocks const& recv,
    int root
) {
  return program.rank == root
             ? root_of_gather(program, context, send, varying_blocks(recv))
             : leaf_of_gather(program, context, send, sizes_of(program, send, recv), root);
}

}  // namespace espalier::exec
