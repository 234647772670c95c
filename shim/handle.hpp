// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <type_traits>

namespace espalier::shim {

/// A handle of any MPI, as it passes through a register: a pointer, or an integer whose upper half
/// means nothing. Functions declared with it can be called in place of those of mpi.h wherever
/// integers and pointers are passed alike, which all ABIs of 64-bit machines do.
using Handle = std::intptr_t;

/// The handle as the type of mpi.h.
template <typename Typed> Typed from_handle(Handle handle) noexcept {
  if constexpr (std::is_pointer_v<Typed>) {
    return reinterpret_cast<Typed>(handle);  // NOLINT(performance-no-int-to-ptr)
  } else {
    return static_cast<Typed>(handle);
  }
}

template <typename Typed> Handle to_handle(Typed handle) noexcept {
  if constexpr (std::is_pointer_v<Typed>) {
    return reinterpret_cast<Handle>(handle);
  } else {
    return static_cast<Handle>(handle);
  }
}

}  // namespace espalier::shim
