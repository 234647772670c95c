// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "espalier/exec/memory/integers.hpp"

namespace espalier::plan {

/// Counts and displacements of a call whose blocks have some, in any fixed order.
using CountsKey = std::array<exec::Integers, 4>;

/// A number that equal lists have in common. Lists of int differ from lists of larger integers.
[[nodiscard]] std::uint64_t hash_of(CountsKey const& key) noexcept;

/// The lists of a key, in memory of their own.
class StoredCounts {
public:
  StoredCounts() = default;
  explicit StoredCounts(CountsKey const& key);

  /// The lists here, valid as long as this object.
  [[nodiscard]] CountsKey key() const noexcept;

  [[nodiscard]] bool equals(CountsKey const& key) const noexcept;

  /// Without the object itself.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return numbers_.capacity(); }

private:
  struct List {
    int size = 0;
    bool is_wide = false;
  };

  std::vector<std::byte> numbers_;  ///< of all lists, one after the other
  std::array<List, std::tuple_size_v<CountsKey>> lists_{};
};

}  // namespace espalier::plan
