// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace espalier::onesided {

/// A barrier in two halves by dissemination: in round k each rank raises counter k of the rank that
/// is 2^k to the right, and waits for its own, which the rank 2^k to the left raises. Counters are
/// not reset: in barrier number n all get to n.
///
///     6 ranks | round 0: r -> r + 1 | round 1: r -> r + 2 | round 2: r -> r + 4 |
class UcxBarrier {
public:
  UcxBarrier(int rank, int num_ranks) : rank_(rank), num_ranks_(num_ranks) {}

  void notify() noexcept {
    ++number_;
    distance_ = 1;
    round_ = 0;
    has_raised_ = false;
  }

  /// Goes on as far as it can. Whether all ranks have notified.
  /// @param try_raise  (rank, counter): raises a counter of a rank by 1; false if it has no room
  /// @param load  (counter): a counter of this rank
  template <typename TryRaise, typename Load> bool advance(TryRaise&& try_raise, Load&& load) {
    while (distance_ < num_ranks_) {
      has_raised_ = has_raised_ || try_raise(partner(), round_);
      if (!has_raised_ || load(round_) < number_) {
        return false;
      }
      has_raised_ = false;
      distance_ *= 2;
      ++round_;
    }
    return true;
  }

private:
  [[nodiscard]] int partner() const noexcept {
    return static_cast<int>((rank_ + distance_) % num_ranks_);
  }

  int rank_;
  int num_ranks_;
  std::int64_t distance_ = std::int64_t{1} << 32U;  ///< no barrier is underway
  std::uint64_t round_ = 0;
  std::uint64_t number_ = 0;
  bool has_raised_ = false;
};

}  // namespace espalier::onesided
