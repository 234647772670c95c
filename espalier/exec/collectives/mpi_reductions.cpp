// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives that combine contributions.

#include <cstdint>
#include <utility>
#include <vector>

#include "espalier/exec/collectives/mpi_collectives.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"
#include "espalier/schedule/private_memory.hpp"

namespace espalier::exec {
namespace {

using schedule::Collective;
using schedule::RankProgram;

/// Input and output are the whole vector.
MpiSpec vector_spec(
    RankProgram const& program,
    MpiContext const& context,
    std::int64_t count,
    Reduction const& reduction
) {
  std::int64_t const extent_bytes = describe(reduction.type).extent_bytes;
  Layout const vector = Layout::uniform(1, count, extent_bytes);
  MpiBlocks const blocks{
      .type = reduction.type,
      .layout = vector.divided(program.frame.num_output_blocks),
  };
  MpiSpec spec{.context = context, .output = blocks};
  spec.reduction = {.op = reduction.op, .type = reduction.type};
  if (!reduction.is_in_place) {
    spec.input = blocks;
  }
  return spec;
}

MpiExecutor combining(
    RankProgram const& program,
    MpiContext const& context,
    std::int64_t count,
    Reduction const& reduction,
    Collective collective,
    int root = 0
) {
  MpiSpec const spec = vector_spec(program, context, count, reduction);
  return {schedule::as_called(program, collective, root, reduction.is_in_place), spec};
}

/// `parts`: the whole vector, one block for each rank; `own`: what this rank gets.
MpiExecutor scattered(
    RankProgram const& program,
    MpiContext const& context,
    Reduction const& reduction,
    Layout const& parts,
    Layout const& own
) {
  int const num_blocks = program.frame.num_output_blocks;
  int const num_pieces = num_blocks / program.frame.num_ranks;
  MpiBlocks const all{.type = reduction.type, .layout = parts.divided(num_pieces)};
  Layout const result = own.divided(num_pieces).within(num_blocks, program.rank * num_pieces);
  MpiSpec spec{
      .context = context,
      .output = {.type = reduction.type, .layout = result},
      .input = all,
      .sizes = all,
      .reduction = MpiReduction{.op = reduction.op, .type = reduction.type},
      .input_is_output = reduction.is_in_place,
  };
  return {schedule::as_called(program, Collective::reduce_scatter, 0, reduction.is_in_place), spec};
}

}  // namespace

MpiExecutor reduce_executor(
    RankProgram const& program,
    MpiContext const& context,
    std::int64_t count,
    Reduction const& reduction,
    int root
) {
  Reduction own = reduction;
  own.is_in_place = reduction.is_in_place && program.rank == root;
  return combining(program, context, count, own, Collective::reduce, root);
}

MpiExecutor allreduce_executor(
    RankProgram const& program,
    MpiContext const& context,
    std::int64_t count,
    Reduction const& reduction
) {
  return combining(program, context, count, reduction, Collective::allreduce);
}

MpiExecutor scan_executor(
    RankProgram const& program,
    MpiContext const& context,
    std::int64_t count,
    Reduction const& reduction
) {
  return combining(program, context, count, reduction, Collective::scan);
}

MpiExecutor exscan_executor(
    RankProgram const& program,
    MpiContext const& context,
    std::int64_t count,
    Reduction const& reduction
) {
  return combining(program, context, count, reduction, Collective::exscan);
}

MpiExecutor reduce_scatter_executor(
    RankProgram const& program,
    MpiContext const& context,
    Integers counts,
    Reduction const& reduction
) {
  std::int64_t const extent_bytes = describe(reduction.type).extent_bytes;
  std::vector<std::int64_t> displacements;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    displacements.push_back(end);
    end += counts[i];
  }
  std::int64_t const own = counts[program.rank];
  return scattered(
      program,
      context,
      reduction,
      Layout::varying(counts, displacements, extent_bytes),
      Layout::uniform(1, own, extent_bytes)
  );
}

MpiExecutor reduce_scatter_block_executor(
    RankProgram const& program,
    MpiContext const& context,
    std::int64_t count,
    Reduction const& reduction
) {
  std::int64_t const extent_bytes = describe(reduction.type).extent_bytes;
  return scattered(
      program,
      context,
      reduction,
      Layout::uniform(program.frame.num_ranks, count, extent_bytes),
      Layout::uniform(1, count, extent_bytes)
  );
}

}  // namespace espalier::exec
