// SPDX-License-Identifier: Apache-2.0

/// @file
/// How long walks take to be computed, up to 10^6 ranks.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "espalier/mapping/walk.hpp"

namespace {

using namespace espalier::mapping;

struct Case {
  std::string name;
  std::vector<int> extents;
  int node_size;
};

std::vector<Case> cases() {
  return {
      {.name = "50x48", .extents = {50, 48}, .node_size = 48},
      {.name = "400x250", .extents = {400, 250}, .node_size = 50},
      {.name = "1000x1000", .extents = {1000, 1000}, .node_size = 48},
      {.name = "100x100x100", .extents = {100, 100, 100}, .node_size = 50},
      {.name = "100x100x100_small_nodes", .extents = {100, 100, 100}, .node_size = 4},
      {.name = "10x10x10x10x10x10", .extents = {10, 10, 10, 10, 10, 10}, .node_size = 50},
  };
}

Places places_of(int num_ranks, int node_size) {
  Places::LevelGroups nodes{.name = "node"};
  Places::LevelGroups packages{.name = "package", .cost = Places::inner_cost};
  for (int rank = 0; rank < num_ranks; ++rank) {
    nodes.group_of_rank.push_back(rank / node_size);
    packages.group_of_rank.push_back(2 * (rank / node_size) + rank % node_size * 2 / node_size);
  }
  return Places({std::move(nodes), std::move(packages)});
}

void make_walk(benchmark::State& state, WalkAlgorithm const* algorithm, Case const& c) {
  CartesianGrid const grid(c.extents);
  Stencil const stencil = Stencil::nearest(grid.num_dimensions());
  Places const places = places_of(grid.num_positions(), c.node_size);
  Problem const problem{.grid = grid, .stencil = stencil, .places = places};
  if (std::string const reason = algorithm->refuses(problem); !reason.empty()) {
    state.SkipWithError(reason.c_str());
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(algorithm->walk(problem));
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (WalkAlgorithm const* algorithm : walk_algorithms()) {
    for (Case const& c : cases()) {
      std::string const name = std::string(algorithm->name) + "/" + c.name;
      benchmark::RegisterBenchmark(name.c_str(), make_walk, algorithm, c)
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
