// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>

#include <mpi.h>

namespace espalier::mpi {

/// The value of a key; none if it is not there, or the info is MPI_INFO_NULL. Local.
/// @throws Error mpi.
[[nodiscard]] std::optional<std::string> info_value(MPI_Info info, char const* key);

}  // namespace espalier::mpi
