// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ucp/api/ucp.h>

namespace espalier::onesided {

/// The segment of this rank in memory that UCX chose, so that peers of the node can map it where
/// their transports do, with room for the conduit behind it. All of it is 0 at first.
///
///     | segment | rest of a line | counters of the barrier | a place to try puts |
class UcxSegment {
public:
  /// Counters of the conduit, each 8 bytes wide: one for each round of a barrier among as many
  /// ranks as an int counts, and the last one, which is always 0.
  static constexpr std::uint64_t num_counters = 32;
  static constexpr std::uint64_t tried_counter = num_counters - 1;

  /// @throws Error.
  UcxSegment(ucp_context_h context, std::uint64_t segment_bytes);
  UcxSegment(UcxSegment const&) = delete;
  UcxSegment& operator=(UcxSegment const&) = delete;
  UcxSegment(UcxSegment&&) = delete;
  UcxSegment& operator=(UcxSegment&&) = delete;
  ~UcxSegment();

  [[nodiscard]] std::byte* memory() const noexcept { return memory_; }

  /// Where a counter lies behind a segment of a rank.
  [[nodiscard]] static std::uint64_t
  counter_behind(std::uint64_t segment_bytes, std::uint64_t counter) noexcept;

  /// By which other ranks reach it.
  /// @throws Error.
  [[nodiscard]] std::vector<std::byte> key() const;

private:
  ucp_context_h context_;
  ucp_mem_h mapped_ = nullptr;
  std::byte* memory_ = nullptr;
};

}  // namespace espalier::onesided
