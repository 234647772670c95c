// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/stretches.hpp"

#include <algorithm>

namespace espalier::learn {

void Stretches::draw_by(std::uint32_t seed) noexcept {
  lots_ = seed;
  if (is_underway_ && is_between_pairs()) {
    draw_order();
  }
}

void Stretches::begin(int length) noexcept {
  is_underway_ = true;
  length_ = length;
  last_excess_ = 0;
  lead_ = 0;
  num_pairs_ = 0;
  native_seconds_.reset();
  candidate_seconds_.reset();
  draw_order();
}

double Stretches::note(double seconds) noexcept {
  (is_native_next() ? native_seconds_ : candidate_seconds_) = seconds;
  if (!native_seconds_ || !candidate_seconds_) {
    return 0;
  }
  evidence_.add(*candidate_seconds_, *native_seconds_);
  lead_ += *candidate_seconds_ < *native_seconds_ ? 1 : 0;
  lead_ -= *candidate_seconds_ > *native_seconds_ ? 1 : 0;
  ++num_pairs_;
  sum_of_native_ += *native_seconds_;
  sum_of_candidate_ += *candidate_seconds_;
  last_excess_ = *candidate_seconds_ - *native_seconds_;
  excess_ += last_excess_;
  native_seconds_.reset();
  candidate_seconds_.reset();
  draw_order();
  double const more = std::max(0.0, excess_ - charged_);
  charged_ += more;
  return more;
}

void Stretches::start_again() noexcept {
  evidence_ = {};
  sum_of_native_ = 0;
  sum_of_candidate_ = 0;
}

/// A linear congruential generator; its highest bit is the lot.
void Stretches::draw_order() noexcept {
  constexpr std::uint32_t multiplier = 1664525;
  constexpr std::uint32_t increment = 1013904223;
  constexpr std::uint32_t highest_bit = 31;
  lots_ = lots_ * multiplier + increment;
  native_is_first_ = (lots_ >> highest_bit) != 0;
}

}  // namespace espalier::learn
