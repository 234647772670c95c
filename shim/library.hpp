// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/base/mpi_library.hpp"

namespace espalier::shim {

/// The MPI library whose functions this process reaches.
[[nodiscard]] MpiLibrary find_library();

/// False only if the launcher says that this is another rank than 0: for messages that are printed
/// before, or without, MPI.
[[nodiscard]] bool may_be_rank_zero() noexcept;

/// True only if the launcher says that this is rank 0.
[[nodiscard]] bool is_rank_zero() noexcept;

}  // namespace espalier::shim
