// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/neighbors/neighbor_name.hpp"

#include <algorithm>

namespace espalier::plan {
namespace {

constexpr std::array<std::string_view, num_neighbor_calls> names{
    "neighbor_allgather",
    "neighbor_allgatherv",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
};

}  // namespace

std::string_view to_string(NeighborCall call) noexcept {
  return names[index_of(call)];
}

std::optional<NeighborCall> parse_neighbor_call(std::string_view text) noexcept {
  auto const* const found = std::ranges::find(names, text);
  if (found == names.end()) {
    return std::nullopt;
  }
  return all_neighbor_calls[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace espalier::plan
