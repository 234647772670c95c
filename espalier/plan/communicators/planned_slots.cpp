// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/planned_slots.hpp"

#include <array>
#include <cstddef>

#include "espalier/mpi/success.hpp"
#include "espalier/plan/communicators/underway.hpp"

namespace espalier::plan {

int PlannedSlots::take(int least) noexcept {
  int slot = least;
  while (slot < most && is_taken_[static_cast<std::size_t>(slot)]) {
    ++slot;
  }
  if (slot < most) {
    is_taken_.set(static_cast<std::size_t>(slot));
  }
  return slot;
}

// Ranks free their requests in different orders. Each proposes its first free slot from `least` on;
// nobody can do better than the largest proposal, from which the next round begins. So the rounds
// end, at the latest when no slot is left.
std::optional<int>
PlannedSlots::claim(MPI_Comm comm, FindLargest find_largest, bool takes_part, std::int64_t bytes) {
  for (std::int64_t least = takes_part ? 0 : most;;) {
    int mine = most;
    {
      Underway::Turn const turn;
      mine = take(static_cast<int>(least));
    }
    std::array<std::int64_t, 4> proposals{mine, -mine, bytes, -bytes};
    int const code = find_largest(proposals, comm);
    bool const is_one_call = code == MPI_SUCCESS && proposals[2] == -proposals[3];
    bool const is_agreed = is_one_call && proposals[0] == -proposals[1];
    if (is_agreed && mine < most) {
      return mine;
    }
    if (mine < most) {
      Underway::Turn const turn;
      release(mine);
    }
    mpi::require_success(code, "MPI_Allreduce");
    if (!is_one_call || proposals[0] == most) {
      return std::nullopt;
    }
    least = proposals[0];
  }
}

}  // namespace espalier::plan
