// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/samples.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace espalier::measure {
namespace {

/// Slower than native by this factor at least: not worth more repetitions.
constexpr double clearly_slower = 1.05;

}  // namespace

void Samples::append(std::span<double const> repetitions_us) {
  for (std::size_t i = 0; i < repetitions_us.size(); ++i) {
    times_us_[i % times_us_.size()].push_back(repetitions_us[i]);
  }
}

bool Samples::are_precise(double precision) const {
  for (std::size_t candidate = 1; candidate < num_candidates(); ++candidate) {
    if (!is_decided(candidate, precision)) {
      return false;
    }
  }
  return true;
}

bool Samples::is_decided(std::size_t candidate, double precision) const {
  std::span<double const> const native = of(0);
  std::span<double const> const ours = of(candidate);
  std::vector<double> ratios(native.size());
  std::transform(native.begin(), native.end(), ours.begin(), ratios.begin(), std::divides<>());
  std::sort(ratios.begin(), ratios.end());
  MedianInterval const interval = median_interval(ratios.size());
  double const low = ratios[interval.low];
  double const high = ratios[interval.high];
  return high * clearly_slower < 1.0 || (high - low) / 2 <= precision * ratios[ratios.size() / 2];
}

MedianInterval median_interval(std::size_t count) noexcept {
  auto const n = static_cast<double>(count);
  double const below = std::floor((n + 1 - 1.96 * std::sqrt(n)) / 2) - 1;
  auto const low = static_cast<std::size_t>(std::max(0.0, below));
  return {.low = low, .high = count - 1 - low};
}

}  // namespace espalier::measure
