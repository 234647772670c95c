// SPDX-License-Identifier: Apache-2.0

/// @file
/// Replaces the operators new and delete of a program by some that count. For one source of it.

#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace espalier::test {

inline long num_allocations = 0;

}  // namespace espalier::test

// Inlined, one of them alone seems to take what the other's library gave.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++espalier::test::num_allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  throw std::bad_alloc();
}

[[gnu::noinline]] void* operator new(std::size_t size, std::nothrow_t const& /*tag*/) noexcept {
  ++espalier::test::num_allocations;
  return std::malloc(size == 0 ? 1 : size);
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
