// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>

namespace espalier::shim {

/// Address of a function in the libraries loaded after this one, null if there is none.
[[nodiscard]] void* look_for(char const* name) noexcept;

/// The same of a function that must be there. A program that misses one cannot
/// go on, as it would if it had been linked without it: one line, then the process ends.
[[nodiscard]] void* find_address(char const* name) noexcept;

/// An address into a pointer to a function. Threads that do it at once write the same value.
template <typename Function> void set_function(void* address, Function*& function) noexcept {
  // ISO C++ has no cast from an object pointer to a function pointer; POSIX promises equal bits.
  auto* const found = std::bit_cast<Function*>(address);
  __atomic_store_n(&function, found, __ATOMIC_RELEASE);
}

/// The address of a function that must be there into a pointer to it.
template <typename Function> void find_symbol(char const* name, Function*& function) noexcept {
  set_function(find_address(name), function);
}

/// The same of one that may have another name.
template <typename Function>
void find_either(char const* name, char const* other_name, Function*& function) noexcept {
  void* const address = look_for(name);
  void* const other = address == nullptr ? look_for(other_name) : address;
  set_function(other == nullptr ? find_address(name) : other, function);
}

/// The same of one that may be missing: then another function takes its place.
template <typename Function>
void find_symbol_or(char const* name, Function*& function, Function* other) noexcept {
  void* const address = look_for(name);
  set_function(address == nullptr ? std::bit_cast<void*>(other) : address, function);
}

}  // namespace espalier::shim
