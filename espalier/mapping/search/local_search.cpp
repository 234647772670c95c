// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/search/local_search.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "espalier/mapping/index.hpp"
#include "espalier/mapping/score.hpp"
#include "espalier/mapping/search/level_search.hpp"

namespace espalier::mapping {
namespace {

std::vector<int> groups_at(Places const& places, int level, RankVector const& rank_at) {
  std::vector<int> groups;
  groups.reserve(rank_at.size());
  for (int const rank : rank_at) {
    groups.push_back(places.group_of(level, rank));
  }
  return groups;
}

std::vector<int> parents_at(Places const& places, int level) {
  std::vector<int> parents(places.sizes(level).size(), 0);
  for (int rank = 0; level > 0 && rank < places.num_ranks(); ++rank) {
    parents[at(places.group_of(level, rank))] = places.group_of(level - 1, rank);
  }
  return parents;
}

/// Gives vertices that changed their group ranks of the new one, which others left: of those at
/// hand the one that shares most levels with the vertex's neighbors.
class Settling {
public:
  Settling(TwoWayGraph const& graph, Places const& places, RankVector& rank_at)
      : graph_(graph), places_(places), rank_at_(rank_at), is_open_(rank_at.size(), false) {}

  void run(int level, std::vector<int> const& group_of_vertex) {
    std::vector<std::vector<int>> free_ranks(places_.sizes(level).size());
    std::vector<int> movers;
    for (int vertex = 0; vertex < graph_.num_vertices(); ++vertex) {
      int const rank = rank_at_[at(vertex)];
      if (int const group = places_.group_of(level, rank); group != group_of_vertex[at(vertex)]) {
        free_ranks[at(group)].push_back(rank);
        movers.push_back(vertex);
        is_open_[at(vertex)] = true;
      }
    }
    for (int const vertex : movers) {
      rank_at_[at(vertex)] = take_best(vertex, free_ranks[at(group_of_vertex[at(vertex)])]);
      is_open_[at(vertex)] = false;
    }
  }

private:
  static constexpr std::ptrdiff_t most_at_hand = 32;

  int take_best(int vertex, std::vector<int>& free_ranks) {
    auto const first = free_ranks.end() - std::min(std::ssize(free_ranks), most_at_hand);
    auto const best = std::max_element(first, free_ranks.end(), [&](int left, int right) {
      return nearness(vertex, left) < nearness(vertex, right);
    });
    int const rank = *best;
    free_ranks.erase(best);
    return rank;
  }

  [[nodiscard]] double nearness(int vertex, int rank) const {
    double sum = 0;
    for (std::size_t edge = graph_.begin(vertex); edge < graph_.end(vertex); ++edge) {
      if (auto const neighbor = at(graph_.neighbor[edge]); !is_open_[neighbor]) {
        sum += graph_.both(edge) * places_.crossing(rank, rank_at_[neighbor]);
      }
    }
    return sum;
  }

  TwoWayGraph const& graph_;
  Places const& places_;
  RankVector& rank_at_;
  std::vector<bool> is_open_;  ///< vertices that have no rank yet
};

}  // namespace

SearchResult improved_levels(
    TwoWayGraph const& graph, Places const& places, RankVector rank_at, std::int64_t max_trials
) {
  SearchResult result{.rank_at = std::move(rank_at)};
  for (int level = 0; level < places.num_levels() && result.trials < max_trials; ++level) {
    if (places.sizes(level).size() == 1) {
      continue;
    }
    std::int64_t const share = (max_trials - result.trials) / (places.num_levels() - level);
    LevelSearch search(
        graph, groups_at(places, level, result.rank_at), parents_at(places, level), share
    );
    result.trials += search.run();
    Settling(graph, places, result.rank_at).run(level, search.group_of_vertex());
  }
  return result;
}

SearchResult local_search(
    Graph const& graph, Places const& places, RankVector const& rank_at, std::int64_t max_trials
) {
  Score const before = score(graph, places, rank_at);
  SearchResult result = improved_levels(two_way(graph), places, rank_at, max_trials);
  if (score(graph, places, result.rank_at).objective > before.objective) {
    result.rank_at = rank_at;
  }
  return result;
}

}  // namespace espalier::mapping
