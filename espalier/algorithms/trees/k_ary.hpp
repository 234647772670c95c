// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/trees/family.hpp"

namespace espalier::algorithms {

/// Every rank serves at most k others, breadth first. The argument `k` is the radix.
/// @tparam fallback  the radix if there is no argument; 1 is the chain
template <int fallback> struct KAryTrees {
  static constexpr bool keeps_root_busy = false;

  static pattern::TreeNode node(Request const& request, int x) {
    return pattern::k_ary_node(radix(request), request.num_ranks, x);
  }

  static int num_rounds(Request const& request) {
    return pattern::k_ary_rounds(radix(request), request.num_ranks);
  }

private:
  static int radix(Request const& request) { return request.arguments.integer("k", fallback); }
};

/// Without an argument, as entries without a `k` have none.
using ChainTrees = KAryTrees<1>;

/// The same with subtrees that are runs of ranks.
struct KAryRunTrees {
  static constexpr bool keeps_root_busy = false;

  static pattern::TreeNode node(Request const& request, int x) {
    return pattern::contiguous_k_ary_node(radix(request), request.num_ranks, x);
  }

  static int num_rounds(Request const& request) {
    return pattern::contiguous_k_ary_rounds(radix(request), request.num_ranks);
  }

private:
  static int radix(Request const& request) { return request.arguments.integer("k", 2); }
};

}  // namespace espalier::algorithms
