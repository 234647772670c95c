// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "shim/handle.hpp"

namespace espalier::shim {

/// How long the lists of a call stay: a call that does not end before it returns needs them until
/// it does, and nobody says when that is.
enum class Lists : std::uint8_t { during_call, for_ever };

/// Arguments of a call with large counts as those of the call without, for MPI libraries that have
/// no large counts. Programs that look for such functions, as mpi4py does, find ours there, and
/// expect that small counts work.
class Narrowing {
public:
  /// What a call returns whose counts are too large: the class MPI_ERR_COUNT of all MPI libraries.
  static constexpr int does_not_fit = 2;

  /// Nothing is asked of the communicator but for lists.
  explicit Narrowing(Handle comm, Lists lists = Lists::during_call) noexcept
      : comm_(comm), lists_stay_(lists) {}

  [[nodiscard]] int count(std::int64_t number) noexcept;

  /// A list with a number for each rank of the call. Of those that stay for ever, equal ones are
  /// one. Null if it is null.
  [[nodiscard]] int const* list(void const* numbers) noexcept;
  /// The same of a list with a number for each rank of this rank's group.
  [[nodiscard]] int const* list_of_group(void const* numbers) noexcept;
  /// The same of a list that means something at the root alone.
  [[nodiscard]] int const* list_at_root(void const* numbers, int root) noexcept;
  /// The same of a list that means nothing if the buffer is MPI_IN_PLACE.
  [[nodiscard]] int const* list_unless_in_place(void const* numbers, void const* buffer) noexcept;

  /// Whether all numbers did.
  [[nodiscard]] bool fits() const noexcept { return fits_; }

private:
  [[nodiscard]] int const* list_of(void const* numbers, int num_ranks) noexcept;
  [[nodiscard]] int const* keep(std::vector<int> list);

  Handle comm_;
  Lists lists_stay_;
  std::vector<std::vector<int>> lists_;  ///< those of this call
  bool fits_ = true;
};

}  // namespace espalier::shim
