// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/algorithm.hpp"

namespace espalier::algorithms {

/// Reduce-scatter in groups of k ranks at distance 1, k, k^2, ..., that divide what they are
/// responsible for; on the largest j k^i <= num_ranks with j < k, where the last group has j ranks.
[[nodiscard]] schedule::RankProgram dividing_reduce_scatter(int num_ranks, int rank, int k);
[[nodiscard]] Facts dividing_facts(int num_ranks, int k);

}  // namespace espalier::algorithms
