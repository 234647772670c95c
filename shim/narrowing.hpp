// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "shim/handle.hpp"

namespace espalier::shim {

/// Arguments of a call with large counts as those of the call without, for MPI libraries that have
/// no large counts. Programs that look for such functions, as mpi4py does, find ours there, and
/// expect that small counts work.
class Narrowing {
public:
  /// What a call returns whose counts are too large: the class MPI_ERR_COUNT of all MPI libraries.
  static constexpr int does_not_fit = 2;

  /// Nothing is asked of the communicator but for lists.
  explicit Narrowing(Handle comm) noexcept : comm_(comm) {}

  [[nodiscard]] int count(std::int64_t number) noexcept;

  /// A list with a number for each rank of the call. It stays for ever, since a nonblocking call
  /// needs it until its end; equal lists are one. Null if it is null.
  [[nodiscard]] int const* list(void const* numbers) noexcept;
  /// The same of a list that means something at the root alone.
  [[nodiscard]] int const* list_at_root(void const* numbers, int root) noexcept;
  /// The same of a list that means nothing if the buffer is MPI_IN_PLACE.
  [[nodiscard]] int const* list_unless_in_place(void const* numbers, void const* buffer) noexcept;

  /// Whether all numbers did.
  [[nodiscard]] bool fits() const noexcept { return fits_; }

private:
  Handle comm_;
  bool fits_ = true;
};

}  // namespace espalier::shim
