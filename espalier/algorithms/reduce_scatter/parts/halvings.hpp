// SPDX-License-Identifier: Apache-2.0

/// @file
/// Steps in which ranks halve what they are responsible for, until it is their own block. The
/// reduce-scatters and the allreduces of these names are made of them.

#pragma once

#include <vector>

#include "espalier/algorithms/reduce_scatter/parts/partial_sums.hpp"

namespace espalier::algorithms {

/// Partners at distance p / 2, p / 4, ..., 1 swap halves that are runs; p a power of two.
[[nodiscard]] std::vector<Handover> halve_distances(int p, int rank);

/// Partners at distance 1, 2, ..., p / 2 swap halves that are runs; p a power of two. A rank is
/// left with the block whose number has the bits of its own in the opposite order.
[[nodiscard]] std::vector<Handover> double_distances(int p, int rank);

/// Partners at falling negabinary distances swap halves that are runs; p a power of two.
[[nodiscard]] std::vector<Handover> halve_negabinary_distances(int p, int rank);

/// Partners at growing negabinary distances; p even. If it is no power of two, a block goes to a
/// rank only if the rank has no other way to it.
[[nodiscard]] std::vector<Handover> double_negabinary_distances(int p, int rank);

/// To rank + s and from rank - s for the skips s of the circulant graph, the largest first; any p.
[[nodiscard]] std::vector<Handover> fall_along_skips(int p, int rank);

/// Each rank hands the block it got last to rank + 1; any p.
[[nodiscard]] std::vector<Handover> pass_to_neighbor(int p, int rank);

}  // namespace espalier::algorithms
