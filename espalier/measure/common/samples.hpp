// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace espalier::measure {

/// Times of one point in microseconds: for each candidate one value a repetition. Candidate 0 is
/// the native call; values of one repetition were taken next to each other and form pairs.
class Samples {
public:
  explicit Samples(std::size_t num_candidates) : times_us_(num_candidates) {}

  [[nodiscard]] std::size_t num_candidates() const noexcept { return times_us_.size(); }

  [[nodiscard]] std::size_t num_repetitions() const noexcept { return times_us_.front().size(); }

  [[nodiscard]] std::span<double const> of(std::size_t candidate) const {
    return times_us_[candidate];
  }

  /// Adds repetitions, given one after the other with their candidates in a row.
  void append(std::span<double const> repetitions_us);

  /// True if every candidate is decided: its ratio native / candidate is known to the relative
  /// precision (half the width of the median's 95 % interval), or the whole interval says that it
  /// is clearly slower.
  [[nodiscard]] bool are_precise(double precision) const;

private:
  [[nodiscard]] bool is_decided(std::size_t candidate, double precision) const;

  std::vector<std::vector<double>> times_us_;
};

/// Beside the slowest rank of each sample, which Samples usually are of.
struct Spread {
  Samples fastest;
  Samples mean;
};

/// Ends of the 95 % interval of a median: order statistics (positions from 0) of `count` sorted
/// values, normal approximation of the binomial; the whole range below six values.
struct MedianInterval {
  std::size_t low;
  std::size_t high;
};

[[nodiscard]] MedianInterval median_interval(std::size_t count) noexcept;

}  // namespace espalier::measure
