// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/trees/family.hpp"

namespace espalier::algorithms {

/// In every phase each rank that was reached serves k - 1 others. The argument `k` is the radix.
/// @tparam fallback  the radix if there is no argument
template <int fallback> struct KNomialTrees {
  static constexpr bool keeps_root_busy = true;

  static pattern::TreeNode node(Request const& request, int x) {
    return pattern::k_nomial_node(radix(request), request.num_ranks, x);
  }

  static int num_rounds(Request const& request) {
    return pattern::k_nomial_rounds(radix(request), request.num_ranks);
  }

private:
  static int radix(Request const& request) { return request.arguments.integer("k", fallback); }
};

/// Without an argument, as entries without a `k` have none.
using BinomialTrees = KNomialTrees<2>;

}  // namespace espalier::algorithms
