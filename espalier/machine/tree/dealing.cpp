// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/tree/dealing.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "espalier/machine/text/decimal.hpp"

namespace espalier::machine {

std::optional<Dealing> Dealing::parse(std::string_view text) {
  constexpr std::string_view cyclic = "cyclic";
  if (text == "block") {
    return Dealing{.at_a_time = 0};
  }
  if (text == "folded") {
    return Dealing{.is_folded = true};
  }
  if (text == cyclic) {
    return Dealing{};
  }
  if (!text.starts_with("cyclic:")) {
    return std::nullopt;
  }
  std::optional<int> const number = parse_count(text.substr(cyclic.size() + 1));
  return number ? std::optional(Dealing{.at_a_time = *number}) : std::nullopt;
}

std::string Dealing::text() const {
  if (at_a_time == 0) {
    return "block";
  }
  if (is_folded) {
    return "folded";
  }
  return at_a_time == 1 ? "cyclic" : "cyclic:" + std::to_string(at_a_time);
}

std::vector<int> Dealing::nodes(std::span<int const> cores_of_node) const {
  std::vector<int> left(cores_of_node.begin(), cores_of_node.end());
  std::vector<int> turn(left.size());
  std::iota(turn.begin(), turn.end(), 0);
  auto const num_cores =
      static_cast<std::size_t>(std::reduce(left.begin(), left.end(), std::int64_t{0}));
  std::vector<int> result;
  result.reserve(num_cores);
  while (result.size() < num_cores) {
    for (int const node : turn) {
      int& free = left[static_cast<std::size_t>(node)];
      int const taken = at_a_time == 0 ? free : std::min(at_a_time, free);
      result.insert(result.end(), static_cast<std::size_t>(taken), node);
      free -= taken;
    }
    std::erase_if(turn, [&](int node) { return left[static_cast<std::size_t>(node)] == 0; });
    if (is_folded) {
      std::ranges::reverse(turn);
    }
  }
  return result;
}

}  // namespace espalier::machine
