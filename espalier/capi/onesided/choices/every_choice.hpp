// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/capi/onesided/choices/safe_choice.hpp"

namespace espalier::capi {

/// All that can serve a request: each variant of the catalog by each legal mechanism, within what
/// is named. First what the rule tries, in its order; then the first variants of all algorithms by
/// the mechanism that the rule prefers, and so on: who ends early has seen something of each
/// algorithm. A barrier moves no data, so that its mechanism makes no difference. Of variants that
/// do the same with so few ranks there is the first one only, up to 16 ranks.
///
/// @param named         what serves
/// @param node_of_rank  Counted from 0 as they first occur, where groups that are the nodes are
///     candidates, too: one member of a node hears and tells the others, and packs for them. Empty:
///     all members are on one node, or alone on theirs.
[[nodiscard]] std::vector<SafeChoice> every_choice(
    SafeRequest const& request, NamedParts const& named, std::vector<int> const& node_of_rank = {}
);

}  // namespace espalier::capi
