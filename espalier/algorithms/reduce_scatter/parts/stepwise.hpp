// SPDX-License-Identifier: Apache-2.0

/// @file
/// Reduce-scatters that are a list of handovers, and how those for powers of two are made to work
/// for any number of ranks.

#pragma once

#include <functional>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/reduce_scatter/parts/partial_sums.hpp"
#include "espalier/pattern/folding.hpp"

namespace espalier::algorithms {

/// The steps of one of so many ranks, each of which is responsible for one block in the end.
using Steps = std::vector<Handover> (*)(int num_ranks, int rank);

[[nodiscard]] schedule::RankProgram
stepwise_reduce_scatter(Request const& request, int rank, Steps steps);

/// What stepwise_reduce_scatter does if all ranks do the same with p - 1 blocks.
[[nodiscard]] Facts stepwise_facts(int num_ranks, int num_rounds, Steps steps);

/// All ranks on the largest power of two of places.
[[nodiscard]] pattern::Folding largest_power_of_two(int num_ranks);

/// The parts of some places. A run of places is a run of parts; a comb becomes two, that of the
/// first ranks and that of the second ranks of pairs.
[[nodiscard]] std::vector<int>
parts_of(pattern::Folding const& folding, std::vector<int> const& places);

/// What a rank that holds a place does in num_rounds rounds.
using Exchange = std::function<void(PartialSums&)>;

/// Before the exchange the second rank of each pair hands everything to the first; afterwards it
/// gets its own part.
[[nodiscard]] schedule::RankProgram folded_reduce_scatter(
    pattern::Folding const& folding, int rank, int num_rounds, Exchange const& exchange
);

/// Steps among the largest power of two of places, in which partners halve runs.
[[nodiscard]] schedule::RankProgram
halving_reduce_scatter(Request const& request, int rank, Steps steps);
[[nodiscard]] Facts halving_facts(int num_ranks);

}  // namespace espalier::algorithms
