// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/variants.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace espalier::learn {

int num_differences(algorithms::Choice const& one, algorithms::Choice const& other) {
  auto const num_others = std::ranges::count_if(one.arguments().entries(), [&](auto const& entry) {
    return other.arguments().text(entry.first, "") != entry.second;
  });
  auto const num_more = std::ranges::count_if(other.arguments().entries(), [&](auto const& entry) {
    return !one.arguments().has(entry.first);
  });
  return static_cast<int>(num_others + num_more);
}

void Variants::add(std::size_t number, algorithms::Choice const& choice) {
  left_.push_back({num_differences(choice, *best_), number, &choice});
  is_sorted_ = false;
}

std::size_t Variants::take_next() {
  if (!is_sorted_) {
    sort();
  }
  std::size_t const next = left_.back().number;
  left_.pop_back();
  return next;
}

void Variants::prefer(algorithms::Choice const& better) {
  best_ = &better;
  for (Variant& variant : left_) {
    variant.num_differences = num_differences(*variant.choice, better);
  }
  is_sorted_ = false;
}

void Variants::sort() {
  std::ranges::sort(left_, std::greater<>(), [](Variant const& variant) {
    return std::pair(variant.num_differences, variant.number);
  });
  is_sorted_ = true;
}

}  // namespace espalier::learn
