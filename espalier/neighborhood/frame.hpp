// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/neighborhood/algorithm.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::neighborhood {

/// The label of what `sender` puts on its edge k, see BlockSizes; of all its edges in
/// neighbor_allgather.
/// @throws Error unsupported if there are too many edges to number them.
[[nodiscard]] int label(Request const& request, int sender, int k);

/// Input and output blocks of a rank, without scratch blocks.
[[nodiscard]] schedule::Frame frame(Request const& request, int rank);

/// Input block k, or the only one of neighbor_allgather.
[[nodiscard]] schedule::Slot input_slot(Request const& request, int k) noexcept;

}  // namespace espalier::neighborhood
