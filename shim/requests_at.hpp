// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>

#include <mpi.h>

namespace espalier::shim {

/// Nothing, where the MPI library will complain about the arguments.
inline std::span<MPI_Request const> requests_at(void const* array, int count) noexcept {
  std::size_t const size = array == nullptr || count < 0 ? 0 : static_cast<std::size_t>(count);
  return {static_cast<MPI_Request const*>(array), size};
}

}  // namespace espalier::shim
