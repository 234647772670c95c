// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/measure/halo/halo_input.hpp"

namespace espalier::measure {

/// The message to each of both neighbours along a dimension: blocks of floats with gaps.
struct HaloMessage {
  int num_blocks = 0;
  int block = 0;   ///< floats
  int stride = 0;  ///< floats from block to block

  [[nodiscard]] std::int64_t num_floats() const noexcept {
    return std::int64_t{num_blocks} * block;
  }

  [[nodiscard]] std::int64_t bytes() const noexcept {
    return num_floats() * std::int64_t{sizeof(float)};
  }

  /// Floats of memory from the first to the last.
  [[nodiscard]] std::size_t reach() const noexcept;

  friend bool operator==(HaloMessage const&, HaloMessage const&) = default;
};

/// The grid of a size, cut into parts for the processes, and what a process sends.
struct HaloGeometry {
  std::vector<std::int64_t> total;    ///< points of the whole grid along each dimension
  std::vector<std::int64_t> local;    ///< of the part of a process
  std::vector<HaloMessage> messages;  ///< along each dimension

  /// The whole grid has base * factor * p^(1/d) points along a dimension, rounded to the nearest
  /// multiple of its processes, at least one each. A message is the face of a part, one point deep;
  /// it grows to whole blocks.
  /// @param dims processes along each dimension.
  /// @throws Error unsupported if a message has more floats than an int counts.
  static HaloGeometry of(HaloGroup const& group, int factor, std::span<int const> dims);

  /// What a process sends to all 2 d neighbours.
  [[nodiscard]] std::int64_t bytes() const noexcept;
  /// Where the message to, and that from, a neighbour begins in memory, in floats.
  /// @param side 0 or 1: the neighbour below or above.
  [[nodiscard]] std::size_t offset(std::size_t dimension, std::size_t side) const noexcept;

  /// Floats that the messages to all neighbours need, gaps included.
  [[nodiscard]] std::size_t reach() const noexcept { return offset(messages.size(), 0); }
};

}  // namespace espalier::measure
