// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/shape.hpp"

#include <algorithm>

namespace espalier::profile {
namespace {

std::string plural(int number, std::string const& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

}  // namespace

std::string Shape::text() const {
  return plural(num_ranks, "rank") + " on " + plural(num_nodes, "node");
}

Distance::Ratio::Ratio(int a, int b) noexcept : larger(std::max(a, b)), smaller(std::min(a, b)) {}

Distance::Distance(Shape from, Shape needed) noexcept
    : nodes_(from.num_nodes, needed.num_nodes), ranks_(from.num_ranks, needed.num_ranks),
      num_nodes_(from.num_nodes), num_ranks_(from.num_ranks) {}

bool Distance::is_borrowable() const noexcept {
  return nodes_.larger == nodes_.smaller && ranks_.larger <= max_borrowing_factor * ranks_.smaller;
}

}  // namespace espalier::profile
