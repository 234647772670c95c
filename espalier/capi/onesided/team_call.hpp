// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>

#include <mpi.h>

#include "espalier/capi/onesided/uneven_blocks.hpp"
#include "espalier/schedule/collective.hpp"

namespace espalier::capi {

/// The arguments of a collective of a team.
struct TeamCall {
  schedule::Collective collective = schedule::Collective::barrier;
  void const* sendbuf = nullptr;
  void* recvbuf = nullptr;  ///< of a bcast: the buffer
  int count = 0;            ///< of a block
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  /// Where blocks have different sizes; then `count` says nothing. Null: they do not.
  std::shared_ptr<UnevenBlocks const> blocks = nullptr;
};

/// What is known of a call after its arguments were checked.
struct TeamElements {
  std::int64_t count = 0;         ///< of a block; the mean where they differ
  std::int64_t extent_bytes = 1;  ///< of an element, which has no gaps
  bool needs_rank_order = false;  ///< operands may not be swapped

  [[nodiscard]] std::int64_t block_bytes() const noexcept { return count * extent_bytes; }
};

/// Checks everything but addresses. Local.
/// @throws plan::ClassError with the class of MPI; Error mpi.
[[nodiscard]] TeamElements check(TeamCall const& call, int num_ranks);

}  // namespace espalier::capi
