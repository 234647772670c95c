// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>

#include "espalier/pattern/folding.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {

/// Blocks of the ranks of places begin .. begin + size - 1, modulo the number of places; not of
/// all.
[[nodiscard]] schedule::Slot blocks_of(pattern::Folding const& folding, int begin, int size);

/// An allgather between the places of a folding. Before it the second rank of each pair hands its
/// block to the first, and afterwards gets all others from there; if there are pairs, that is a
/// round each.
/// @param between appends the program of a place, in num_rounds rounds.
[[nodiscard]] schedule::RankProgram folded_allgather(
    schedule::Builder builder,
    pattern::Folding const& folding,
    int num_rounds,
    std::function<void(schedule::Builder&, int place)> const& between
);

}  // namespace espalier::algorithms
