// SPDX-License-Identifier: Apache-2.0

/// @file
/// Executors of the MPI collectives, from programs as the catalog generates them: in place.
///
/// run() takes the addresses as the call has them, the send buffer first; what MPI does not look at
/// on this rank may be anything. Bcast has one buffer, the second.
///
/// All of them are local and throw Error as the constructor of MpiExecutor.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/exec/memory/integers.hpp"
#include "espalier/exec/messages/mpi_executor.hpp"

namespace espalier::exec {

/// Blocks with counts and displacements of their own, in elements of one type.
struct VaryingBlocks {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Integers counts{};
  Integers displacements{};
};

/// Blocks with types of their own; displacements in bytes.
struct TypedBlocks {
  Integers counts{};
  Integers displacements{};
  std::span<MPI_Datatype const> types{};
};

/// What is reduced. The operator is called with the handle of the type as it is given here: both
/// have to last as long as the executor.
struct Reduction {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  bool is_in_place = false;
};

[[nodiscard]] MpiExecutor
barrier_executor(schedule::RankProgram const& program, MpiContext const& context);

/// A program with several blocks cuts the message.
[[nodiscard]] MpiExecutor bcast_executor(
    schedule::RankProgram const& program, MpiContext const& context, TypedCount message, int root
);

/// `input.type` MPI_DATATYPE_NULL means MPI_IN_PLACE.
[[nodiscard]] MpiExecutor allgather_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    TypedCount input,
    TypedCount block
);

/// Counts and displacements as in the call, one for each rank.
[[nodiscard]] MpiExecutor allgatherv_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    TypedCount input,
    MPI_Datatype output_type,
    Integers counts,
    Integers displacements
);
[[nodiscard]] MpiExecutor allgatherv_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    TypedCount input,
    MpiBlocks output
);

/// `send` and `recv` are of one part. Only the root's `send` is looked at; its `recv.type`
/// MPI_DATATYPE_NULL means MPI_IN_PLACE.
[[nodiscard]] MpiExecutor scatter_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    TypedCount send,
    TypedCount recv,
    int root
);

/// MPI tells only the root how large all blocks are. Other ranks pass either no counts, which is
/// enough for programs in which they handle only their own block, or all counts in elements of any
/// type; displacements are the root's.
[[nodiscard]] MpiExecutor scatterv_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    VaryingBlocks const& send,
    TypedCount recv,
    int root
);

/// `send` and `recv` are of one part. Only the root's `recv` is looked at; its `send.type`
/// MPI_DATATYPE_NULL means MPI_IN_PLACE.
[[nodiscard]] MpiExecutor gather_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    TypedCount send,
    TypedCount recv,
    int root
);

/// Counts of ranks that are not the root: as for scatterv.
[[nodiscard]] MpiExecutor gatherv_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    TypedCount send,
    VaryingBlocks const& recv,
    int root
);

/// The vector is cut at boundaries of elements. Only the root may be in place.
[[nodiscard]] MpiExecutor reduce_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    std::int64_t count,
    Reduction const& reduction,
    int root
);
[[nodiscard]] MpiExecutor allreduce_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    std::int64_t count,
    Reduction const& reduction
);
[[nodiscard]] MpiExecutor scan_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    std::int64_t count,
    Reduction const& reduction
);
[[nodiscard]] MpiExecutor exscan_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    std::int64_t count,
    Reduction const& reduction
);
[[nodiscard]] MpiExecutor reduce_scatter_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    Integers counts,
    Reduction const& reduction
);
/// `count` elements of the result for each rank.
[[nodiscard]] MpiExecutor reduce_scatter_block_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    std::int64_t count,
    Reduction const& reduction
);

/// `send` and `recv` are of one block; `send.type` MPI_DATATYPE_NULL means MPI_IN_PLACE.
[[nodiscard]] MpiExecutor alltoall_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    TypedCount send,
    TypedCount recv
);

/// No rank knows the sizes of blocks of others, so a program hands blocks to their ranks directly,
/// without scratch memory; or it is a schedule::written_once(), and scratch_sizes() found out how
/// large its scratch blocks are. `send` without counts means MPI_IN_PLACE.
[[nodiscard]] MpiExecutor alltoallv_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    VaryingBlocks const& send,
    VaryingBlocks const& recv,
    std::vector<std::int64_t> scratch_bytes = {}
);
[[nodiscard]] MpiExecutor alltoallw_executor(
    schedule::RankProgram const& program,
    MpiContext const& context,
    TypedBlocks const& send,
    TypedBlocks const& recv,
    std::vector<std::int64_t> scratch_bytes = {}
);

}  // namespace espalier::exec
