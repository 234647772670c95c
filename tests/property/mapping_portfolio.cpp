// SPDX-License-Identifier: Apache-2.0

/// @file
/// The portfolio on random grids of one to four dimensions: it is never worse than the best of its
/// algorithms, never worse than the identity in any number, and its search beats all of them on
/// half of the instances.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/mapping/search/portfolio.hpp"

namespace espalier::mapping {
namespace {

#ifdef ESPALIER_FEW_RANKS
constexpr int num_instances = 16;
constexpr int most_positions = 60;
#else
constexpr int num_instances = 200;
constexpr int most_positions = 300;
#endif

/// One dimension is rare: pieces of a line in order are hard to beat.
constexpr std::array dimensions{2, 3, 4, 3, 1, 2, 4, 3};

/// The same numbers on every platform, unlike distributions of the standard library.
class Numbers {
public:
  explicit Numbers(std::uint64_t seed) : random_(seed) {}

  int from_to(int first, int last) {
    return first + static_cast<int>(random_() % static_cast<std::uint64_t>(last - first + 1));
  }

  bool one_in(int count) { return from_to(1, count) == 1; }

private:
  std::mt19937_64 random_;
};

CartesianGrid any_grid(Numbers& numbers, int num_dimensions) {
  std::vector<int> extents;
  std::vector<bool> is_periodic;
  int left = most_positions;
  for (int dimension = 0; dimension < num_dimensions; ++dimension) {
    int const rest = num_dimensions - dimension;
    int most = 2;
    while (rest == 1 ? most < left : (most + 1) * (rest > 2 ? 9 : 5) < left) {
      ++most;
    }
    extents.push_back(numbers.from_to(2, std::min(most, most_positions / (2 * rest))));
    left = std::max(2, left / extents.back());
    is_periodic.push_back(numbers.one_in(3));
  }
  return CartesianGrid(std::move(extents), std::move(is_periodic));
}

std::vector<int> unit(int num_dimensions, int dimension, int length) {
  std::vector<int> offset(static_cast<std::size_t>(num_dimensions), 0);
  offset[static_cast<std::size_t>(dimension)] = length;
  return offset;
}

/// Nearest neighbours, all around, hops along one dimension, other weights in each dimension, or
/// holes: some directions only.
Stencil any_stencil(Numbers& numbers, int num_dimensions) {
  int const kind = numbers.from_to(0, 4);
  if (kind == 0) {
    return Stencil::full(num_dimensions);
  }
  Stencil const nearest = Stencil::nearest(num_dimensions);
  std::vector<Stencil::Neighbor> neighbors = nearest.neighbors();
  if (kind == 1) {
    int const dimension = numbers.from_to(0, num_dimensions - 1);
    for (int const length : {-3, -2, 2, 3}) {
      neighbors.push_back({.offset = unit(num_dimensions, dimension, length)});
    }
  } else if (kind == 2) {
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      neighbors[i].weight = i % 2 == 0 ? numbers.from_to(1, 10) : neighbors[i - 1].weight;
    }
  } else if (kind == 3) {
    std::size_t const hole =
        static_cast<std::size_t>(numbers.from_to(0, static_cast<int>(neighbors.size()) - 1));
    neighbors.erase(neighbors.begin() + static_cast<std::ptrdiff_t>(hole));
    std::vector<int> diagonal(static_cast<std::size_t>(num_dimensions), 1);
    diagonal.front() = numbers.from_to(2, 3);
    neighbors.push_back({.offset = diagonal, .weight = 0.5});
  }
  return {num_dimensions, std::move(neighbors)};
}

/// Nodes of equal or different sizes, often with two packages each.
Places any_places(Numbers& numbers, int num_ranks) {
  int const usual = numbers.from_to(2, 24);
  bool const is_even = numbers.one_in(2);
  Places::LevelGroups nodes{.name = "node"};
  Places::LevelGroups packages{.name = "package", .cost = Places::inner_cost};
  for (int node = 0; static_cast<int>(nodes.group_of_rank.size()) < num_ranks; ++node) {
    int const size = is_even ? usual : numbers.from_to((usual + 1) / 2, usual);
    for (int core = 0; core < size; ++core) {
      nodes.group_of_rank.push_back(node);
      packages.group_of_rank.push_back(2 * node + (2 * core >= size ? 1 : 0));
    }
  }
  nodes.group_of_rank.resize(static_cast<std::size_t>(num_ranks));
  packages.group_of_rank.resize(static_cast<std::size_t>(num_ranks));
  return numbers.one_in(2) ? Places({nodes}) : Places({nodes, packages});
}

/// The best objective that an algorithm reaches alone; that of the identity where each of them
/// makes something worse.
double best_single(Mapping const& mapping) {
  double best = mapping.before.objective;
  for (Trial const& trial : mapping.trials) {
    bool const is_single = trial.algorithm.find(" + search") == std::string::npos;
    if (trial.score && is_single && is_better(*trial.score, mapping.before)) {
      best = std::min(best, trial.score->objective);
    }
  }
  return best;
}

TEST(Portfolio, IsNeverWorseThanItsBestAlgorithmAndOftenBetter) {
  int num_better = 0;
  for (int seed = 0; seed < num_instances; ++seed) {
    Numbers numbers(static_cast<std::uint64_t>(seed));
    int const num_dimensions = dimensions[static_cast<std::size_t>(seed) % dimensions.size()];
    CartesianGrid const grid = any_grid(numbers, num_dimensions);
    Stencil const stencil = any_stencil(numbers, num_dimensions);
    Places const places = any_places(numbers, grid.num_positions());
    SCOPED_TRACE("seed " + std::to_string(seed) + ", stencil " + stencil.to_text());
    Mapping const mapping = map_grid({grid, stencil, places});
    ASSERT_EQ(refuses(mapping.rank_at, grid.num_positions()), "");
    ASSERT_EQ(score(make_graph(grid, stencil), places, mapping.rank_at), mapping.after);
    double const single = best_single(mapping);
    EXPECT_LE(mapping.after.objective, single);
    EXPECT_LE(mapping.after.total, mapping.before.total * (1 + 1e-9));
    EXPECT_LE(mapping.after.worst, mapping.before.worst * (1 + 1e-9));
    EXPECT_NE(mapping.is_identity(), is_better(mapping.after, mapping.before));
    num_better += mapping.after.objective < single * (1 - 1e-9) ? 1 : 0;
  }
  RecordProperty("better by search", num_better);
#ifndef ESPALIER_FEW_RANKS
  EXPECT_GE(2 * num_better, num_instances);
#endif
}

}  // namespace
}  // namespace espalier::mapping
