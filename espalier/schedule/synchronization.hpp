// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a one-sided collective promises about when it touches buffers, in the words of
/// [nishtala2009]: one flag for entering and one for leaving, nine modes.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace espalier::schedule {

enum class Sync : std::uint8_t {
  nosync,   ///< in: the first rank has entered; out: the last rank has not left
  mysync,   ///< the same for the rank whose buffer is touched
  allsync,  ///< the same for all ranks
};

/// One of the nine modes. It speaks of user buffers (input and output) of all ranks, whoever
/// touches them; scratch memory belongs to the schedule.
///
/// A rank has left when all of its operations are complete. Of its own puts it then knows no more
/// than that their sources may be written again: that data have reached a peer is known only by a
/// counter that comes back from there.
struct Synchronization {
  Sync in = Sync::nosync;
  Sync out = Sync::nosync;

  friend bool operator==(Synchronization const&, Synchronization const&) = default;
};

inline constexpr std::array all_syncs{Sync::nosync, Sync::mysync, Sync::allsync};

/// All nine, IN_NOSYNC first.
[[nodiscard]] std::array<Synchronization, 9> all_synchronizations() noexcept;

/// `IN_MYSYNC|OUT_ALLSYNC`.
[[nodiscard]] std::string to_string(Synchronization mode);
/// @throws Error argument with the valid names.
[[nodiscard]] Synchronization parse_synchronization(std::string_view text);

}  // namespace espalier::schedule
