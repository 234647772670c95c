// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <type_traits>

namespace espalier::mpi {

/// A handle, which is a pointer in one MPI and a number in another, as a number.
template <typename Handle> std::uint64_t bits_of(Handle handle) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uint64_t>(handle);
  }
}

}  // namespace espalier::mpi
