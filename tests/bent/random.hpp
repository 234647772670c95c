// SPDX-License-Identifier: Apache-2.0

/// @file
/// Random numbers that are equal wherever they are made of the same numbers.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace bent {

class Random {
public:
  Random(std::initializer_list<std::uint64_t> origin) {
    for (std::uint64_t const number : origin) {
      state_ = (state_ ^ number) * 0x9E3779B97F4A7C15U;
      next();
    }
  }

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }

  /// 0 .. bound - 1; 0 if there is no such number.
  int below(int bound) {
    std::uint64_t const number = next();
    return bound <= 0 ? 0 : static_cast<int>(number % static_cast<std::uint64_t>(bound));
  }

  bool chance(int percent) { return below(100) < percent; }

  template <typename Item> Item pick(std::vector<Item> const& items) {
    return items[static_cast<std::size_t>(below(static_cast<int>(items.size())))];
  }

private:
  std::uint64_t state_ = 0x853C49E6748FEA9BU;
};

}  // namespace bent
