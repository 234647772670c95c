// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mapping/places.hpp"

namespace espalier::plan {

/// Exchanges groups that are alike, and ranks of one group, so that rank 0 stays rank 0: programs
/// have it read and write files. No message changes its level, so nothing gets worse. If rank 0 is
/// in a group unlike the one that got position 0, it may become another one.
[[nodiscard]] mapping::RankVector
keep_rank_0(mapping::RankVector rank_at, mapping::Places const& places);

}  // namespace espalier::plan
