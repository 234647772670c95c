// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "espalier/watch/clock.hpp"
#include "espalier/watch/record.hpp"

namespace espalier::watch {

/// When to speak of the call in one entry: after the limit, then after twice that, four times, ...
class Pace {
public:
  /// Takes in what was seen; another wait starts anew.
  void see(Activity const& activity, Time limit) noexcept {
    bool const is_same =
        activity.version == version_ && activity.since == since_ && activity.wait == wait_;
    if (!is_same) {
      version_ = activity.version;
      since_ = activity.since;
      wait_ = activity.wait;
      patience_ = limit;
    }
  }

  [[nodiscard]] Time due() const noexcept { return since_ + patience_; }

  /// Something was said. If the watch itself was held up, it does not say it again at once.
  void speak(Time now) noexcept {
    while (due() <= now) {
      patience_ *= 2;
    }
  }

private:
  std::uint64_t version_ = 0;
  Time since_ = 0;
  Wait wait_{};
  Time patience_ = 0;
};

}  // namespace espalier::watch
