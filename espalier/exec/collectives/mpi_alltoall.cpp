// SPDX-License-Identifier: Apache-2.0

/// @file
/// Alltoall in its three forms.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/exec/collectives/mpi_blocks.hpp"
#include "espalier/exec/collectives/mpi_collectives.hpp"
#include "espalier/exec/collectives/mpi_sizes.hpp"
#include "espalier/schedule/private_memory.hpp"

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
  return {schedule::as_called(program, schedule::Collective::alltoall, 0, !spec.input), spec};
}

/// The same of blocks with sizes of their own.
MpiExecutor exchanging(
    RankProgram const& program,
    MpiContext const& context,
    std::optional<MpiBlocks> input,
    MpiBlocks output,
    std::vector<std::int64_t> scratch_bytes
) {
  if (scratch_bytes.empty()) {
    return exchanging(program, context, std::move(input), std::move(output));
  }
  RankProgram const called =
      schedule::as_called(program, schedule::Collective::alltoall, 0, !input);
  // A contribution in place waits behind the other scratch blocks; each of its blocks is as large
  // as the one that comes to its place.
  std::vector<std::int64_t> const in_place = bytes_of_blocks(output);
  std::vector<int> const& labels = called.frame.scratch_like;
  for (std::size_t i = scratch_bytes.size(); i < labels.size(); ++i) {
    int const peer = labels[i] / called.frame.num_ranks;
    scratch_bytes.push_back(in_place[static_cast<std::size_t>(peer)]);
  }
  return {
      called,
      {
          .context = context,
          .output = std::move(output),
          .input = std::move(input),
          .scratch_bytes = std::move(scratch_bytes),
      },
  };
}

void require_direct(RankProgram const& program, std::span<std::int64_t const> scratch_bytes) {
  if (scratch_bytes.size() != program.frame.scratch_like.size()) {
    throw Error(
        ErrorCode::unsupported,
        "blocks of different sizes need a program that hands them to their ranks directly, or the "
        "sizes of those that it keeps, got one with " +
            std::to_string(program.frame.scratch_like.size()) + " scratch blocks, and sizes of " +
            std::to_string(scratch_bytes.size())
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
    VaryingBlocks const& recv,
    std::vector<std::int64_t> scratch_bytes
) {
  require_direct(program, scratch_bytes);
  std::optional<MpiBlocks> input;
  if (!send.counts.empty()) {
    input = varying_blocks(send);
  }
  return exchanging(
      program, context, std::move(input), varying_blocks(recv), std::move(scratch_bytes)
  );
}

MpiExecutor alltoallw_executor(
    RankProgram const& program,
    MpiContext const& context,
    TypedBlocks const& send,
    TypedBlocks const& recv,
    std::vector<std::int64_t> scratch_bytes
) {
  require_direct(program, scratch_bytes);
  std::optional<MpiBlocks> input;
  if (!send.counts.empty()) {
    input = typed_blocks(send);
  }
  return exchanging(
      program, context, std::move(input), typed_blocks(recv), std::move(scratch_bytes)
  );
}

}  // namespace espalier::exec
