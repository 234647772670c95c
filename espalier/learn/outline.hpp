// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/replay/setting.hpp"

namespace espalier::learn {

/// Seconds that a choice takes by what its first, its middle and its last rank do, round after
/// round, as if nothing were shared; rounds in which none of them does anything take as long as the
/// others do on average. It says how the time of a choice grows with the ranks, in a small part of
/// the time that a replay of all of them needs.
/// @param num_bytes of the whole result.
/// @throws Error as Choice::generate.
[[nodiscard]] double
outline(algorithms::Choice const& choice, cost::Setting const& setting, double num_bytes);

}  // namespace espalier::learn
