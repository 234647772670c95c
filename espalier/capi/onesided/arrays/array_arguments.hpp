// SPDX-License-Identifier: Apache-2.0

/// @file
/// Arguments of espalier_array.h, checked. Everything here is local.

#pragma once

#include <cstdint>
#include <vector>

#include <mpi.h>

#include "espalier/capi/onesided/arrays/array_object.hpp"
#include "espalier/onesided/array/array_call.hpp"
#include "espalier/onesided/array/distribution.hpp"

namespace espalier::capi {

/// @throws Error argument.
[[nodiscard]] onesided::Distribution read(espalier_distribution const* given, int num_members);

/// Of an element. @throws plan::ClassError of the class MPI_ERR_TYPE.
[[nodiscard]] std::uint64_t checked_element_bytes(MPI_Datatype datatype);

/// That an array needs in each segment. @throws Error argument for more than can be addressed.
[[nodiscard]] std::uint64_t
array_bytes(onesided::Distribution const& distribution, std::uint64_t element_bytes);

/// @throws Error argument unless all members have room for the array.
void check_room(espalier_array const& array);

/// The blocks of a region, in the segments of programs.
/// @throws Error argument for a region without an array, or outside of it.
[[nodiscard]] std::vector<onesided::OwnedBlock> blocks_of(espalier_region const* region);

}  // namespace espalier::capi
