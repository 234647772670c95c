// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

namespace espalier::measure {

/// What calls of any function are made of on one rank, see filled_call().
struct CallParts {
  void const* input = nullptr;
  void* output = nullptr;
  int own = 0;                  ///< elements of a block or of the own part
  int whole = 0;                ///< elements of the message or vector
  int const* counts = nullptr;  ///< of parts; of an alltoall those that are received
  int const* displacements = nullptr;
  int const* sent_counts = nullptr;  ///< the same unless it is an alltoall
  int const* sent_displacements = nullptr;
  MPI_Datatype type = MPI_BYTE;
  MPI_Datatype const* types = nullptr;
  MPI_Op op = MPI_SUM;
  int root = 0;
  bool is_root = false;

  /// What MPI looks at on the root only, and is nothing elsewhere.
  template <typename Pointer> [[nodiscard]] Pointer at_root(Pointer pointer) const noexcept {
    return is_root ? pointer : nullptr;
  }
};

}  // namespace espalier::measure
