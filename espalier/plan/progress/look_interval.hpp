// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace espalier::plan {

/// How long a thread sleeps between two looks for messages. Each look costs the program some time
/// of a processor, and each sleep keeps a message that comes meanwhile.
///
///     nothing moved for   0 .. 0.8 ms    1.6 ms    4 ms    8 ms ..
///     next look after     50 us          100 us    250 us  500 us
///
/// As the thread sleeps a sixteenth of the time that it has looked in vain, a message waits at most
/// a sixteenth of the time that it was awaited, and waiting ten times as long does not take ten
/// times as many looks. Only the first message of a collective that begins while the thread sleeps
/// may wait for the rest of that sleep.
class LookInterval {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds shortest{50};
  static constexpr std::chrono::microseconds longest{500};

  /// After a look.
  /// @param num_moves  changes when something moves, or begins to be underway
  [[nodiscard]] Clock::duration
  after_look(std::uint32_t num_moves, Clock::time_point now) noexcept {
    constexpr int part_of_wait = 16;
    if (num_moves != num_moves_) {
      num_moves_ = num_moves;
      last_move_ = now;
    }
    return std::clamp<Clock::duration>((now - last_move_) / part_of_wait, shortest, longest);
  }

private:
  std::uint32_t num_moves_ = 0;
  Clock::time_point last_move_;
};

}  // namespace espalier::plan
