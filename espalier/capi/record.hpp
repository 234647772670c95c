// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "include/espalier.h"

#include <mpi.h>

#include "espalier/mapping/places.hpp"
#include "espalier/mapping/search/portfolio.hpp"
#include "espalier/mpi/own_communicator.hpp"

namespace espalier::capi {

/// What espalier_cart_report() tells; hangs on a communicator as an attribute that is not copied.
struct MappingRecord {
  std::string algorithm{};
  std::vector<espalier_cart_level> levels{};
};

[[nodiscard]] MappingRecord
make_record(mapping::Mapping const& mapping, mapping::Places const& places);

/// That of rank 0, on all ranks. Collective.
[[nodiscard]] MappingRecord from_root(mpi::OwnCommunicator const& own, MappingRecord const& record);

/// @throws Error mpi.
void attach(MPI_Comm comm, MappingRecord record);

/// Null if it has none.
/// @throws Error mpi.
[[nodiscard]] MappingRecord const* find_record(MPI_Comm comm);

}  // namespace espalier::capi
