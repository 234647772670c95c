// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>

namespace espalier::watch {

/// What a rank does in a call.
enum class Stage : std::uint8_t {
  native,     ///< the MPI library does everything
  starting,   ///< no message yet
  sending,    ///< waits until the peer takes a message
  receiving,  ///< waits for a message of the peer
};

/// Where a call waits. Fits into one word, so that it is told by a single store.
struct Wait {
  Stage stage = Stage::native;
  int round = 0;       ///< from 0
  int num_others = 0;  ///< messages that would do as well, at most max_others are told
  int peer = -1;       ///< rank in the communicator

  static constexpr int max_others = 63;
  static constexpr int max_round = (1 << 23) - 1;

  [[nodiscard]] constexpr std::uint64_t to_word() const noexcept {
    auto const low = static_cast<std::uint64_t>(stage) |
                     static_cast<std::uint64_t>(std::clamp(round, 0, max_round)) << 3U |
                     static_cast<std::uint64_t>(std::clamp(num_others, 0, max_others)) << 26U;
    return low | static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer)) << 32U;
  }

  static constexpr Wait from_word(std::uint64_t word) noexcept {
    return {
        .stage = static_cast<Stage>(word & 7U),
        .round = static_cast<int>(word >> 3U & static_cast<std::uint64_t>(max_round)),
        .num_others = static_cast<int>(word >> 26U & static_cast<std::uint64_t>(max_others)),
        .peer = static_cast<std::int32_t>(static_cast<std::uint32_t>(word >> 32U)),
    };
  }

  friend bool operator==(Wait const&, Wait const&) = default;
};

}  // namespace espalier::watch
