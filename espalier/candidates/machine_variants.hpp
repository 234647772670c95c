// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/machine/tree/machine.hpp"

namespace espalier::candidates {

/// Whether phases of the MPI library are among what is worth trying. A model knows little of them,
/// and they need communicators that are made before the first call.
enum class NativePhases : std::uint8_t { without, with };

/// What is worth trying where ranks are placed like this: algorithms::variants(); those with groups
/// that are the nodes, the objects of the next level, or both; and where ranks were dealt to nodes
/// in turn, all of these with the order of nodes (`dealt=`). Root 0 is accepted by all.
///
/// The groups are laid on runs of ranks, so nodes give none where ranks lie neither in blocks nor
/// in turns.
/// @param core_of each rank
[[nodiscard]] std::vector<algorithms::Choice> machine_variants(
    schedule::Collective collective,
    machine::Machine const& machine,
    std::vector<int> const& core_of,
    NativePhases native_phases = NativePhases::without
);

/// What is worth measuring where only the node of each rank is known, and each candidate takes
/// time: algorithms::variants(); with groups that are the nodes, each algorithm that takes groups
/// as often as its phases have choices, the first of all phases together, then the second, ...; and
/// where ranks were dealt to nodes in turn, these and one variant of every other algorithm with the
/// order of nodes. No more than algorithms::variants() where ranks share one node or are alone on
/// theirs.
[[nodiscard]] std::vector<algorithms::Choice> node_variants(
    schedule::Collective collective,
    std::vector<int> const& node_of_rank,
    NativePhases native_phases = NativePhases::without
);

}  // namespace espalier::candidates
