// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/grid_candidates.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mapping/dims/stencil.hpp"
#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/score.hpp"
#include "espalier/mapping/walk.hpp"

namespace espalier::plan {
namespace {

using mapping::RankVector;

GridCandidate identity(int num_ranks) {
  RankVector ranks(static_cast<std::size_t>(num_ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  return {.name = "identity", .rank_at = std::move(ranks)};
}

struct NamedWalk {
  std::string name;
  mapping::Walk walk;
};

std::vector<NamedWalk> walks_of(mapping::Problem const& problem) {
  std::vector<NamedWalk> walks;
  for (mapping::WalkAlgorithm const* algorithm : mapping::walk_algorithms()) {
    if (algorithm->refuses(problem).empty()) {
      walks.push_back({std::string(algorithm->name), algorithm->walk(problem)});
    }
  }
  return walks;
}

struct Scored {
  GridCandidate candidate;
  double objective;
};

/// Of equal rank vectors the first.
void add(std::vector<Scored>& all, Scored scored) {
  bool const is_there = std::ranges::any_of(all, [&](Scored const& other) {
    return other.candidate.rank_at == scored.candidate.rank_at;
  });
  if (!is_there) {
    all.push_back(std::move(scored));
  }
}

std::vector<GridCandidate> best_of(std::vector<Scored> all, int most) {
  std::ranges::stable_sort(all.begin() + 1, all.end(), {}, &Scored::objective);
  std::vector<GridCandidate> best;
  for (Scored& scored : all) {
    if (static_cast<int>(best.size()) < most) {
      best.push_back(std::move(scored.candidate));
    }
  }
  return best;
}

}  // namespace

std::vector<GridCandidate> grid_candidates(
    mapping::CartesianGrid const& grid,
    mapping::Places const& places,
    int most,
    std::function<double()> const& clock,
    CandidateTimes& times
) {
  auto const stencil = mapping::Stencil::nearest(grid.num_dimensions());
  mapping::Problem const problem{.grid = grid, .stencil = stencil, .places = places};
  double const start = clock();
  mapping::check(problem);
  std::vector<NamedWalk> const walks = walks_of(problem);
  double const walked = clock();
  std::vector<GridCandidate> found{identity(places.num_ranks())};
  for (NamedWalk const& one : walks) {
    found.push_back({.name = one.name, .rank_at = mapping::lay(one.walk, places)});
  }
  double const laid = clock();
  mapping::Graph const graph = mapping::make_graph(grid, stencil);
  std::vector<Scored> all;
  for (GridCandidate& candidate : found) {
    double const objective = mapping::score(graph, places, candidate.rank_at).objective;
    add(all, {.candidate = std::move(candidate), .objective = objective});
  }
  std::vector<GridCandidate> best = best_of(std::move(all), most);
  times.rearrange += laid - walked;
  times.choose += walked - start + clock() - laid;
  return best;
}

GridCandidate grid_candidate(
    std::string const& name, mapping::CartesianGrid const& grid, mapping::Places const& places
) {
  auto const stencil = mapping::Stencil::nearest(grid.num_dimensions());
  mapping::Problem const problem{.grid = grid, .stencil = stencil, .places = places};
  mapping::check(problem);
  if (name == "identity") {
    return identity(places.num_ranks());
  }
  mapping::WalkAlgorithm const& algorithm = mapping::find_walk_algorithm(name);
  if (std::string const reason = algorithm.refuses(problem); !reason.empty()) {
    throw Error(ErrorCode::argument, name + ": " + reason);
  }
  return {.name = name, .rank_at = mapping::lay(algorithm.walk(problem), places)};
}

}  // namespace espalier::plan
