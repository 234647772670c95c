// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/contest_key.hpp"

#include <cstddef>

namespace espalier::plan {
namespace {

/// Mixes all bits of a number [steele2014].
constexpr std::uint64_t mixed(std::uint64_t bits) noexcept {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

}  // namespace

std::uint64_t contest_key(std::vector<int> const& world_ranks, KindOfCalls const& kind) {
  auto const bytes = static_cast<std::uint64_t>(kind.min_bytes);
  // Inverted it is larger than the number of any rank: mixed like one, calls could stand for it.
  std::uint64_t sum = mixed(~(profile::num_rule_calls * bytes + profile::index_of(kind.call)));
  for (int i = 0; i < kind.shape.num_ranks; ++i) {
    int const rank = world_ranks.empty() ? i : world_ranks[static_cast<std::size_t>(i)];
    sum += mixed(static_cast<std::uint64_t>(rank) + 1);
  }
  return sum;
}

}  // namespace espalier::plan
