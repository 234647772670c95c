// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "espalier/algorithms/trees/family.hpp"
#include "espalier/pattern/postal_tree.hpp"

namespace espalier::algorithms {

/// The argument `latency`.
inline constexpr Parameter postal_latency_parameter{
    .name = "latency",
    .type = Parameter::Type::integer,
    .fallback = "4",
    .minimum = 1,
    .collective = {},
    .description =
        "how often a rank can send until its first message has arrived; 1 is the binomial tree",
};

/// Every rank that was reached serves others all the time. The argument is
/// postal_latency_parameter.
struct PostalTrees {
  static constexpr bool keeps_root_busy = true;

  static pattern::TreeNode node(Request const& request, int x) {
    return pattern::postal_node(latency(request), request.num_ranks, x);
  }

  static int num_rounds(Request const& request) {
    return pattern::postal_rounds(latency(request), request.num_ranks);
  }

private:
  static int latency(Request const& request) {
    return request.arguments.integer(postal_latency_parameter.name, 4);
  }
};

/// Argument lists worth trying: latencies of messages within nodes and, for many ranks, between
/// them.
[[nodiscard]] std::vector<std::string> postal_variants(Request const& request);

}  // namespace espalier::algorithms
