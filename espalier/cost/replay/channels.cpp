// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/channels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "espalier/base/error.hpp"

namespace espalier::cost {

Channels::Channels(int num_objects, double num_channels, int num_users)
    : num_channels_(num_channels) {
  if (!(num_channels > 0)) {
    throw Error(
        ErrorCode::argument,
        "expected a positive number of channels, got " + std::to_string(num_channels)
    );
  }
  if (num_channels >= num_users) {
    return;
  }
  num_servers_ = static_cast<int>(std::ceil(num_channels));
  stretch_ = num_servers_ / num_channels;
  auto const objects = static_cast<std::size_t>(num_objects);
  free_.resize(objects * static_cast<std::size_t>(num_servers_));
  served_.resize(objects);
}

double Channels::serve(int object, double now, double seconds) {
  auto const at = static_cast<std::size_t>(object);
  auto const count = static_cast<std::size_t>(num_servers_);
  std::span const free(free_.data() + at * count, count);
  double const begin = std::max(now, free.front());
  std::ranges::pop_heap(free, std::greater<>());
  free.back() = begin + seconds * stretch_;
  std::ranges::push_heap(free, std::greater<>());
  served_[at] += seconds;
  return begin;
}

double Channels::busiest() const {
  return served_.empty() ? 0 : std::ranges::max(served_) / num_channels_;
}

}  // namespace espalier::cost
