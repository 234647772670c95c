// SPDX-License-Identifier: Apache-2.0

/// @file
/// Alltoall in its three forms.

#include <optional>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/exec/collectives/mpi_blocks.hpp"
#include "espalier/exec/collectives/mpi_collectives.hpp"
#include "espalier/exec/memory/private_memory.hpp"

namespace espalier::exec {
namespace {

using schedule::RankProgram;

MpiExecutor exchanging(
    RankProgram const& program,
    MpiContext const& context,
    std::optional<MpiBlocks> input,
    MpiBlocks output
) {
  MpiSpec const spec{.context = context, .output = std::move(output), .input = std::move(input)};
  return {as_called(program, schedule::Collective::alltoall, 0, !spec.input), spec};
}

void require_direct(RankProgram const& program) {
  if (!program.frame.scratch_like.empty()) {
    throw Error(
        ErrorCode::unsupported,
        "blocks of different sizes need a program that hands them to their ranks directly, got one "
        "with " +
            std::to_string(program.frame.scratch_like.size()) + " scratch blocks"
    );
  }
}

}  // namespace

MpiExecutor alltoall_executor(
    RankProgram const& program, MpiContext const& context, TypedCount send, TypedCount recv
) {
  int const num_ranks = program.frame.num_ranks;
  std::optional<MpiBlocks> input;
  if (send.type != MPI_DATATYPE_NULL) {
    input = equal_blocks(num_ranks, send);
  }
  return exchanging(program, context, std::move(input), equal_blocks(num_ranks, recv));
}

MpiExecutor alltoallv_executor(
    RankProgram const& program,
    MpiContext const& context,
    VaryingBlocks const& send,
    VaryingBlocks const& recv
) {
  require_direct(program);
  std::optional<MpiBlocks> input;
  if (!send.counts.empty()) {
    input = varying_blocks(send);
  }
  return exchanging(program, context, std::move(input), varying_blocks(recv));
}

MpiExecutor alltoallw_executor(
    RankProgram const& program,
    MpiContext const& context,
    TypedBlocks const& send,
    TypedBlocks const& recv
) {
  require_direct(program);
  std::optional<MpiBlocks> input;
  if (!send.counts.empty()) {
    input = typed_blocks(send);
  }
  return exchanging(program, context, std::move(input), typed_blocks(recv));
}

}  // namespace espalier::exec
