// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bitset>
#include <cstdint>
#include <optional>

#include <mpi.h>

#include "espalier/plan/communicators/contexts.hpp"
#include "espalier/plan/communicators/patient_reduction.hpp"

namespace espalier::plan {

/// Tags of the persistent collectives of one communicator. Each has a slot from its initialisation
/// on until it is freed: MPI lets ranks start them in different orders.
class PlannedSlots {
public:
  static constexpr int most = Contexts::num_planned_slots;

  /// A slot for one more, the same on all ranks; none on all ranks if one of them cannot take part,
  /// if they do not speak of one size, or if there is none left. Collective over the communicator,
  /// whose other ranks are waited for, as MPI permits in an initialisation. Within no Turn.
  /// @param find_largest  how the others are waited for
  /// @param bytes  of the result, on this rank
  /// @throws Error mpi.
  [[nodiscard]] std::optional<int>
  claim(MPI_Comm comm, FindLargest find_largest, bool takes_part, std::int64_t bytes);

  /// Local, within a Turn: its last messages were received.
  void release(int slot) noexcept { is_taken_.reset(static_cast<std::size_t>(slot)); }

private:
  /// The first free one from `least` on becomes taken; `most` if there is none.
  int take(int least) noexcept;

  std::bitset<most> is_taken_;
};

}  // namespace espalier::plan
