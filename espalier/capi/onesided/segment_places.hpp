// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

#include "include/espalier_onesided.h"

#include "espalier/onesided/conduit.hpp"
#include "espalier/onesided/remote.hpp"

namespace espalier::capi {

/// The part of each segment that the program has. Scratch space of teams lies before it, as it has
/// to be at the same offset everywhere, and segments of programs have different sizes:
///
///     segment of the conduit   | scratch space, the same on all ranks | of the program       |
///     offsets of programs                                             0              num_bytes
class SegmentPlaces {
public:
  /// Refers to the conduit.
  /// @param scratch_bytes  at most as many as every segment has; whole cache lines
  SegmentPlaces(onesided::Conduit& conduit, std::uint64_t scratch_bytes) noexcept
      : conduit_(&conduit), scratch_bytes_(scratch_bytes) {}

  [[nodiscard]] std::byte* begin() const noexcept {
    return conduit_->segment().data() + scratch_bytes_;
  }

  /// @throws Error argument for a rank that does not exist.
  [[nodiscard]] std::uint64_t num_bytes(int rank) const {
    return conduit_->segment_bytes(rank) - scratch_bytes_;
  }

  /// A place of the program, on the conduit.
  [[nodiscard]] std::uint64_t on_conduit(std::uint64_t offset) const noexcept {
    return scratch_bytes_ + offset;
  }

  /// The same for what a call names.
  /// @param what  that is there, for the text of the error
  /// @throws Error argument unless all of its bytes lie in the segment of the rank.
  [[nodiscard]] onesided::Remote
  remote(char const* what, espalier_remote place, std::uint64_t num_bytes) const;

  /// @throws Error argument, also for an offset that is no multiple of 8.
  [[nodiscard]] onesided::Remote counter(espalier_remote place) const;

private:
  onesided::Conduit* conduit_;
  std::uint64_t scratch_bytes_;
};

}  // namespace espalier::capi
