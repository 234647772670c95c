// SPDX-License-Identifier: Apache-2.0

/// @file
/// Allreduces that are a reduce-scatter followed by the same steps backwards.

#pragma once

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/reduce_scatter/parts/stepwise.hpp"

namespace espalier::algorithms {

/// The vector is cut into p pieces.
[[nodiscard]] schedule::RankProgram
stepwise_allreduce(Request const& request, int rank, Steps steps);

/// What it does if all ranks do the same, in num_rounds rounds each way.
[[nodiscard]] Facts stepwise_allreduce_facts(int num_ranks, int num_rounds, Steps steps);

/// The steps among the largest power of two of places, which is also the number of pieces. Before
/// them the second rank of each pair hands everything to the first, from which it hears the result.
[[nodiscard]] schedule::RankProgram folded_allreduce(Request const& request, int rank, Steps steps);

[[nodiscard]] Facts folded_allreduce_facts(int num_ranks);

}  // namespace espalier::algorithms
