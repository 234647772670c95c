// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace espalier::onesided {

/// A place in the segment of a rank. There are no other remote addresses.
struct Remote {
  int rank = 0;
  std::uint64_t offset = 0;  ///< bytes from the begin of the segment

  friend bool operator==(Remote const&, Remote const&) = default;
};

/// What a raising put adds to a counter beside its data, in the same segment.
struct Raise {
  std::uint64_t offset = 0;  ///< of the counter; a multiple of counter_bytes
  std::uint64_t amount = 1;
};

/// Counters are numbers of 64 bits in segments, aligned to their size. They count modulo 2^64.
inline constexpr std::uint64_t counter_bytes = 8;

}  // namespace espalier::onesided
