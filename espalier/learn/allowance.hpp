// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstdint>

namespace espalier::learn {

/// What learning may cost a process, and what it has cost so far. Threads may charge it at the same
/// time.
class Allowance {
public:
  /// Of what calls gained, so much may be lost again.
  static constexpr double share_of_gains = 0.5;

  /// @param seconds  that may be lost in any case
  /// @param share  of the time of the program that may be lost if that is more
  constexpr Allowance(double seconds, double share) noexcept : seconds_(seconds), share_(share) {}

  void charge(double seconds) noexcept {
    spent_.fetch_add(static_cast<std::int64_t>(seconds * 1e9), std::memory_order_relaxed);
  }

  /// Calls were faster than native ones. Half of that may be lost again, so that a program to which
  /// learning is worth something learns the rest sooner, and still gains.
  void gain(double seconds) noexcept {
    gained_.fetch_add(static_cast<std::int64_t>(seconds * 1e9), std::memory_order_relaxed);
  }

  /// So much is for trials that were fixed before the program began: others may not have it.
  constexpr void reserve(double seconds) noexcept { reserved_ += seconds; }

  [[nodiscard]] double gained() const noexcept {
    return static_cast<double>(gained_.load(std::memory_order_relaxed)) * 1e-9;
  }

  /// Seconds lost so far.
  [[nodiscard]] double spent() const noexcept {
    return static_cast<double>(spent_.load(std::memory_order_relaxed)) * 1e-9;
  }

  /// Seconds that may be lost in a program that has run for so long.
  [[nodiscard]] double bound(double elapsed) const noexcept {
    double const by_share = share_ * elapsed;
    return (by_share > seconds_ ? by_share : seconds_) + share_of_gains * gained();
  }

  /// Below 0 if more was lost than is allowed.
  [[nodiscard]] double left(double elapsed) const noexcept {
    return bound(elapsed) - spent() - reserved_;
  }

private:
  double seconds_;
  double share_;
  double reserved_ = 0;
  std::atomic<std::int64_t> spent_{0};   ///< nanoseconds
  std::atomic<std::int64_t> gained_{0};  ///< the same
};

}  // namespace espalier::learn
