// SPDX-License-Identifier: Apache-2.0

/// @file
/// The rules `bytes` of espalier/calls/functions.json: a function `<rule>_bytes` for each. They
/// give the size of the whole result, equal on all ranks, or none if the arguments are out of the
/// ordinary on this rank.

#pragma once

#include <cstdint>
#include <optional>

#include "espalier/plan/calls/bytes_alltoall.hpp"
#include "espalier/plan/calls/bytes_moves.hpp"
#include "espalier/plan/calls/bytes_reductions.hpp"
#include "espalier/plan/calls/bytes_rooted.hpp"

namespace espalier::plan {

/// Of calls without data.
template <typename Call>
std::optional<std::int64_t> no_bytes(Call const&, CommunicatorFacts const&, NamedTypes&) {
  return 0;
}

}  // namespace espalier::plan
