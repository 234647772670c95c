// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>

namespace espalier::shim {

/// Address of a function in the libraries loaded after this one. A program that misses one cannot
/// go on, as it would if it had been linked without it: one line, then the process ends.
[[nodiscard]] void* find_address(char const* name) noexcept;

/// The same into a pointer to a function. Threads that do it at once write the same value.
template <typename Function> void find_symbol(char const* name, Function*& function) noexcept {
  void* const address = find_address(name);
  // ISO C++ has no cast from an object pointer to a function pointer; POSIX promises equal bits.
  auto* const found = std::bit_cast<Function*>(address);
  __atomic_store_n(&function, found, __ATOMIC_RELEASE);
}

}  // namespace espalier::shim
