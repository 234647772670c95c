// SPDX-License-Identifier: Apache-2.0

/// @file
/// Trees over threads, with thread 0 as the root and runs of threads as subtrees.

#pragma once

#include <vector>

#include "espalier/pattern/tree.hpp"

namespace espalier::benchmarks::threads {

/// By thread, whom it has above and below.
using Places = std::vector<pattern::TreeNode>;

/// @param radix  of the k-nomial tree; 1: a chain; as many as there are threads, or more: all of
///   them are below the root (flat)
[[nodiscard]] inline Places places_of(int radix, int num_threads) {
  Places places;
  for (int thread = 0; thread < num_threads; ++thread) {
    places.push_back(
        radix == 1 ? pattern::contiguous_k_ary_node(1, num_threads, thread)
                   : pattern::k_nomial_node(radix, num_threads, thread)
    );
  }
  return places;
}

}  // namespace espalier::benchmarks::threads
