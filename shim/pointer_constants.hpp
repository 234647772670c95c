// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace espalier::shim {

/// Takes what MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY and MPI_ERRORS_RETURN are from the MPI library of
/// this process, once it is known to be of the family that this library was built for.
/// @param library_version  as of short_version()
void find_pointer_constants(std::string_view library_version) noexcept;

}  // namespace espalier::shim
