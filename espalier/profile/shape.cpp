// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/shape.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <vector>

#include "espalier/base/counted.hpp"

namespace espalier::profile {
namespace {

constexpr std::array placements{
    Placement::any, Placement::block, Placement::cyclic, Placement::other
};

constexpr std::array topologies{Topology::grid, Topology::graph, Topology::disconnected};

bool is_compatible(Placement one, Placement other) noexcept {
  return one == other || one == Placement::any || other == Placement::any;
}

bool has_same_neighborhood(Shape const& one, Shape const& other) noexcept {
  return one.topology == other.topology && one.max_neighbors == other.max_neighbors;
}

std::size_t num_different(std::span<int const> numbers) {
  std::vector<int> sorted(numbers.begin(), numbers.end());
  std::ranges::sort(sorted);
  auto const rest = std::unique(sorted.begin(), sorted.end());
  return static_cast<std::size_t>(rest - sorted.begin());
}

}  // namespace

std::string_view to_string(Placement placement) noexcept {
  switch (placement) {
  case Placement::block:
    return "block";
  case Placement::cyclic:
    return "cyclic";
  case Placement::other:
    return "other";
  case Placement::any:
    break;
  }
  return "";
}

std::optional<Placement> parse_placement(std::string_view text) noexcept {
  auto const name_of = [](Placement placement) { return to_string(placement); };
  auto const* const found = std::ranges::find(placements, text, name_of);
  return found == placements.end() || text.empty() ? std::nullopt : std::optional(*found);
}

std::string_view to_string(Topology topology) noexcept {
  switch (topology) {
  case Topology::grid:
    return "grid";
  case Topology::graph:
    return "graph";
  case Topology::disconnected:
    return "disconnected";
  case Topology::none:
    break;
  }
  return "";
}

std::optional<Topology> parse_topology(std::string_view text) noexcept {
  auto const name_of = [](Topology topology) { return to_string(topology); };
  auto const* const found = std::ranges::find(topologies, text, name_of);
  return found == topologies.end() ? std::nullopt : std::optional(*found);
}

int neighbor_class(int most_edges) noexcept {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(most_edges, 1))));
}

Placement placement_of(std::span<int const> node_of_rank) {
  std::size_t const num_nodes = num_different(node_of_rank);
  if (num_nodes <= 1 || num_nodes == node_of_rank.size()) {
    return Placement::any;
  }
  std::size_t num_runs = 1;
  bool is_cyclic = true;
  for (std::size_t rank = 1; rank < node_of_rank.size(); ++rank) {
    num_runs += node_of_rank[rank] != node_of_rank[rank - 1] ? 1U : 0U;
    is_cyclic =
        is_cyclic && (rank < num_nodes || node_of_rank[rank] == node_of_rank[rank - num_nodes]);
  }
  if (num_runs == num_nodes) {
    return Placement::block;
  }
  return is_cyclic ? Placement::cyclic : Placement::other;
}

bool Shape::covers(Shape needed) const noexcept {
  return num_ranks == needed.num_ranks && num_nodes == needed.num_nodes &&
         is_compatible(placement, needed.placement) && has_same_neighborhood(*this, needed);
}

Shape shape_of(std::span<int const> node_of_rank) {
  return {
      .num_ranks = static_cast<int>(node_of_rank.size()),
      .num_nodes = static_cast<int>(num_different(node_of_rank)),
      .placement = placement_of(node_of_rank),
  };
}

std::string Shape::text() const {
  std::string const placed =
      placement == Placement::any ? "" : " (" + std::string(to_string(placement)) + ")";
  std::string const neighbors = topology == Topology::none
                                    ? ""
                                    : ", " + std::string(to_string(topology)) + " of up to " +
                                          counted(max_neighbors, "neighbour");
  return counted(num_ranks, "rank") + " on " + counted(num_nodes, "node") + placed + neighbors;
}

Distance::Ratio::Ratio(int a, int b) noexcept : larger(std::max(a, b)), smaller(std::min(a, b)) {}

Distance::Distance(Shape from, Shape needed) noexcept
    : is_of_another_kind_(
          !is_compatible(from.placement, needed.placement) || !has_same_neighborhood(from, needed)
      ),
      nodes_(from.num_nodes, needed.num_nodes), ranks_(from.num_ranks, needed.num_ranks),
      num_nodes_(from.num_nodes), num_ranks_(from.num_ranks),
      is_for_any_(from.placement == Placement::any) {}

bool Distance::is_borrowable() const noexcept {
  return !is_of_another_kind_ && nodes_.larger == nodes_.smaller &&
         ranks_.larger <= max_borrowing_factor * ranks_.smaller;
}

}  // namespace espalier::profile
