// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/tree_orders.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::mapping {
namespace {

/// The first rank left, in the order of a comparison of times from a parent.
template <typename Better>
int pick(RttMatrix const& matrix, std::vector<bool> const& is_placed, int parent, Better better) {
  int best = -1;
  for (int rank = 0; rank < matrix.num_ranks(); ++rank) {
    if (!is_placed[static_cast<std::size_t>(rank)] &&
        (best < 0 || better(matrix(parent, rank), matrix(parent, best)))) {
      best = rank;
    }
  }
  return best;
}

/// Fills the tree: in one step (0: none) with the farthest rank left, otherwise with the nearest.
RankVector fill(RttMatrix const& matrix, int root, int farthest_step) {
  int const p = matrix.num_ranks();
  check_root(p, root);
  int const num_steps = ceil_log2(p);
  RankVector ranks(static_cast<std::size_t>(p), -1);
  std::vector<bool> is_placed(ranks.size());
  auto const put = [&](int position, int rank) {
    ranks[static_cast<std::size_t>(position)] = rank;
    is_placed[static_cast<std::size_t>(rank)] = true;
  };
  put(0, root);
  for (int step = 1; step <= num_steps; ++step) {
    int const distance = 1 << (num_steps - step);
    for (int position = 0; position + distance < p; position += 2 * distance) {
      int const parent = ranks[static_cast<std::size_t>(position)];
      put(position + distance,
          step == farthest_step ? pick(matrix, is_placed, parent, std::greater<>())
                                : pick(matrix, is_placed, parent, std::less<>()));
    }
  }
  return ranks;
}

}  // namespace

RankVector fastest_edge_first(RttMatrix const& matrix, int root) {
  return fill(matrix, root, 0);
}

int crossing_step(int num_ranks, double channels) {
  if (!(channels >= 1)) {
    throw Error(
        ErrorCode::argument, "expected at least 1 channel, got " + std::to_string(channels)
    );
  }
  int const last = std::max(1, ceil_log2(num_ranks));
  int step = 1;
  while (step < last && std::ldexp(1.0, step) <= channels) {
    ++step;
  }
  return step;
}

RankVector channel_aware_as_published(RttMatrix const& matrix, double channels, int root) {
  return fill(matrix, root, crossing_step(matrix.num_ranks(), channels));
}

}  // namespace espalier::mapping
