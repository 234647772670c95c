// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>

#include "espalier/algorithms/trees/family.hpp"

namespace espalier::algorithms {

/// The root serves everybody itself, in rank order.
struct FlatTrees {
  static constexpr bool keeps_root_busy = true;

  static pattern::TreeNode node(Request const& request, int x) {
    return pattern::k_ary_node(std::max(1, request.num_ranks - 1), request.num_ranks, x);
  }

  static int num_rounds(Request const& request) { return request.num_ranks - 1; }
};

/// The same with the last rank first, as trees of runs are.
struct FlatRunTrees {
  static constexpr bool keeps_root_busy = true;

  static pattern::TreeNode node(Request const& request, int x) {
    return pattern::contiguous_k_ary_node(request.num_ranks, request.num_ranks, x);
  }

  static int num_rounds(Request const& request) { return request.num_ranks - 1; }
};

}  // namespace espalier::algorithms
