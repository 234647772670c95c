// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/onesided/team/scratch_space.hpp"

namespace espalier::capi {

/// Which parts of the scratch space of a conduit the teams of this rank have. All members of a team
/// need the same part, so they join what each of them says is taken, and take the first part that
/// is free on all of them.
class ScratchParts {
public:
  /// Bits, one for each unit.
  using Taken = std::vector<std::uint64_t>;

  static constexpr std::uint64_t unit_bytes = 4096;

  /// Equal on all ranks of a conduit.
  explicit ScratchParts(std::uint64_t num_bytes);

  /// Of the conduit; whole units.
  [[nodiscard]] std::uint64_t num_bytes() const noexcept { return num_units_ * unit_bytes; }

  [[nodiscard]] Taken const& taken() const noexcept { return taken_; }

  /// The first part with at least so many bytes, rounded up to whole units, of which nothing is
  /// taken; it is taken then.
  /// @param joined  what any member has taken, and equal on all of them
  /// @throws Error no_memory if there is none.
  [[nodiscard]] onesided::Region take(Taken const& joined, std::uint64_t num_bytes);
  void give_back(onesided::Region const& part) noexcept;

private:
  void mark(onesided::Region const& part, bool is_taken) noexcept;

  std::uint64_t num_units_;
  Taken taken_;
};

}  // namespace espalier::capi
