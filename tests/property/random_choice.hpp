// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <random>

namespace espalier::test {

using Random = std::mt19937;

/// One of 0 .. n - 1.
inline std::size_t below(Random& random, std::size_t n) {
  return random() % n;
}

}  // namespace espalier::test
