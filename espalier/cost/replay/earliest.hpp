// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

namespace espalier::cost {

/// A time of each of several things, infinity at first, and which of them is first.
class Earliest {
public:
  explicit Earliest(std::size_t number)
      : num_leaves_(std::bit_ceil(std::max<std::size_t>(1, number))),
        times_(2 * num_leaves_, std::numeric_limits<double>::infinity()) {}

  void set(std::size_t which, double time) {
    std::size_t node = num_leaves_ + which;
    times_[node] = time;
    while (node > 1) {
      node /= 2;
      double const earlier = std::min(times_[2 * node], times_[2 * node + 1]);
      if (times_[node] == earlier) {
        return;
      }
      times_[node] = earlier;
    }
  }

  [[nodiscard]] double time() const { return times_[1]; }

  /// The lowest of those that are first.
  [[nodiscard]] std::size_t which() const {
    std::size_t node = 1;
    while (node < num_leaves_) {
      node = times_[2 * node] == times_[node] ? 2 * node : 2 * node + 1;
    }
    return node - num_leaves_;
  }

private:
  std::size_t num_leaves_;
  std::vector<double> times_;  ///< binary tree, the root at 1: the earlier of two
};

}  // namespace espalier::cost
