// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/repetition_order.hpp"

#include <numeric>
#include <utility>

namespace espalier::measure {

RepetitionOrder::RepetitionOrder(std::uint64_t seed, std::size_t num_candidates)
    : generator_(seed), order_(num_candidates) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

std::span<std::size_t const> RepetitionOrder::next() noexcept {
  // std::shuffle is free to differ between standard libraries; the modulo bias is below 1e-17.
  for (std::size_t i = order_.size(); i > 1; --i) {
    std::swap(order_[i - 1], order_[static_cast<std::size_t>(generator_() % i)]);
  }
  return order_;
}

}  // namespace espalier::measure
