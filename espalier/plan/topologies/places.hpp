// SPDX-License-Identifier: Apache-2.0

/// @file
/// Where the ranks of a communicator run, found out among themselves.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/mapping/places.hpp"
#include "espalier/plan/topologies/described_machine.hpp"
#include "espalier/plan/topologies/machine_text.hpp"

namespace espalier::plan {

struct FoundPlaces {
  mapping::Places places;
  std::vector<std::string> warnings{};  ///< what was not believed, and why; on rank 0 only
};

/// Where ranks run as a machine, whose links say what the description does.
struct FoundSeats {
  SeatedRanks seated;
  std::vector<std::string> warnings;  ///< as above
};

/// Nodes are groups that share memory. Levels inside nodes are used as far as every rank is bound
/// inside one object of them, as the kernel says. A description adds levels that cannot be seen,
/// inside nodes and above them, and costs: its nodes are found by name, without names in the order
/// of their lowest ranks, and ranks of a node take its cores in the order of those they are on. One
/// that contradicts what is seen is not used, which is a warning.
///
/// Collective over comm, which may be any intracommunicator; uses a duplicate. The same places, or
/// the same error, on all ranks.
/// @param described significant on rank 0.
/// @throws Error mpi.
[[nodiscard]] FoundPlaces find_places(MPI_Comm comm, MachineText const& described = {});

/// The same, known on rank 0 only: the others hold nothing that grows with the number of ranks.
[[nodiscard]] std::optional<FoundPlaces>
find_places_at_root(MPI_Comm comm, MachineText const& described = {});

/// The same as a machine with its links.
[[nodiscard]] std::optional<FoundSeats>
find_seats_at_root(MPI_Comm comm, MachineText const& described = {});

}  // namespace espalier::plan
