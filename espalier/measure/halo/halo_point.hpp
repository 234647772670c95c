// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/pace.hpp"
#include "espalier/measure/halo/grid_communicator.hpp"
#include "espalier/measure/halo/halo_file.hpp"
#include "espalier/measure/halo/halo_input.hpp"

namespace espalier::measure {

/// The communicators of a group's cases; those that cannot be are missing.
class GroupCommunicators {
public:
  struct Entry {
    std::size_t number = 0;  ///< of the case
    GridCommunicator comm;
  };

  /// Collective. Writes what became of each case to `file` (rank 0; null elsewhere).
  /// @throws Error io
  GroupCommunicators(Job const& job, HaloInput const& input, std::size_t group, HaloFile* file);

  [[nodiscard]] std::deque<Entry>& entries() noexcept { return entries_; }

private:
  std::deque<Entry> entries_;
};

/// Collective: proves and times the exchanges of all cases of a group at a size, and writes them to
/// `file` (rank 0; null elsewhere). A case that is wrong makes an error line, and is left out.
/// @throws Error mpi, io
void measure_halo(
    Job const& job,
    HaloInput const& input,
    std::size_t group,
    int factor,
    GroupCommunicators& communicators,
    Pace const& pace,
    HaloFile* file
);

}  // namespace espalier::measure
