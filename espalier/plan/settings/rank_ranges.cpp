// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/rank_ranges.hpp"

namespace espalier::plan {
namespace {

/// How many of the first ranks are an arithmetic sequence that rises; one or two of them are not
/// worth a range unless they are neighbours.
std::size_t length_of_range(std::span<int const> ranks) noexcept {
  if (ranks.size() < 2 || ranks[1] <= ranks[0]) {
    return 1;
  }
  int const step = ranks[1] - ranks[0];
  std::size_t length = 2;
  while (length < ranks.size() && ranks[length] - ranks[length - 1] == step) {
    ++length;
  }
  return length > 2 || step == 1 ? length : 1;
}

}  // namespace

std::string rank_ranges(std::span<int const> ranks, std::size_t most_characters) {
  std::string text;
  while (!ranks.empty()) {
    std::size_t const length = length_of_range(ranks);
    text += (text.empty() ? "" : ",") + std::to_string(ranks.front());
    if (length > 1) {
      text += "-" + std::to_string(ranks[length - 1]);
      int const step = ranks[1] - ranks[0];
      text += step == 1 ? "" : ":" + std::to_string(step);
    }
    if (text.size() > most_characters) {
      return {};
    }
    ranks = ranks.subspan(length);
  }
  return text;
}

}  // namespace espalier::plan
