// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/ranking/ranking.hpp"
#include "espalier/cost/replay/setting.hpp"
#include "espalier/cost/replay/sizes.hpp"

namespace espalier::cost {

/// As best() at each of several sizes, by shared_time() of replay/sharing.hpp. Only those are
/// replayed so that are best in queues: the 8 best, or as many as are asked for if that is more,
/// and of the 64 best, or four times as many as are asked for, those that take at most twice the
/// best time. Where very many messages share lines all the time, which costs minutes to replay, the
/// time in queues stays: a schedule that fills the lines takes the same.
/// @throws Error argument unless num_best >= 1.
[[nodiscard]] std::vector<std::vector<Ranked>> best_sharing(
    std::span<algorithms::Choice const> choices,
    int root,
    Setting const& setting,
    std::span<Sizes const> sizes,
    int num_best = 1
);

}  // namespace espalier::cost
