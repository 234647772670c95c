// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "espalier/plan/calls/native_calls.hpp"

namespace espalier::plan {

/// The MPI library at hand, asked what it says of arguments that one library accepts and another
/// reports: aliased buffers, types that were not committed, null types with nothing to send. It is
/// asked on a communicator of one rank, so nobody waits for anybody, and the answer is that of the
/// very library that the program uses.
class Library {
public:
  Library() = default;
  Library(Library const&) = delete;
  Library& operator=(Library const&) = delete;
  Library(Library&&) = delete;
  Library& operator=(Library&&) = delete;
  ~Library() = default;

  /// Local, in MPI_Init. Before this, and in simulated programs, nothing is ever reported.
  /// @throws Error mpi.
  void open();
  /// Local.
  void close() noexcept;

  /// The communicator of one rank, of which errors are returned; MPI_COMM_NULL if it is not open.
  [[nodiscard]] MPI_Comm self() const noexcept { return self_; }

  /// Local. What the library returns for the call on one rank: MPI_SUCCESS or its code. Lists have
  /// one entry. If it does not complain it makes the call.
  template <typename Call> [[nodiscard]] int says(Call call) const noexcept {
    if (self_ == MPI_COMM_NULL) {
      return MPI_SUCCESS;
    }
    if constexpr (requires { call.root; }) {
      call.root = 0;
    }
    return call_native(call, self_);
  }

private:
  MPI_Comm self_ = MPI_COMM_NULL;
};

/// False for a type that may not be used in messages yet. `self` as Library::self(); true without.
[[nodiscard]] bool is_committed(MPI_Datatype type, MPI_Comm self) noexcept;

}  // namespace espalier::plan
