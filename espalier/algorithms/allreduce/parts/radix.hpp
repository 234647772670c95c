// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/algorithm.hpp"

namespace espalier::algorithms {

/// Allreduce of whole vectors in groups of k ranks at distance 1, k, k^2, ..., on the largest
/// j k^i <= num_ranks with j < k; the last group has j ranks.
[[nodiscard]] schedule::RankProgram radix_allreduce(int num_ranks, int rank, int k);
[[nodiscard]] Facts radix_allreduce_facts(int num_ranks, int k);

}  // namespace espalier::algorithms
