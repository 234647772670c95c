// SPDX-License-Identifier: Apache-2.0

/// @file
/// What collectives along postal trees (pattern/postal_tree.hpp) have in common.

#pragma once

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"

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

[[nodiscard]] int postal_latency(Request const& request);

/// Argument lists worth trying: latencies of messages within nodes and, for many ranks, between
/// them.
[[nodiscard]] std::vector<std::string> postal_variants(Request const& request);

}  // namespace espalier::algorithms
