// SPDX-License-Identifier: Apache-2.0

/// @file
/// Message combining, for both collectives: everything that takes the same hop at the same stage
/// goes in one message.

#pragma once

#include <string>

#include "espalier/neighborhood/algorithm.hpp"
#include "espalier/neighborhood/forest.hpp"

namespace espalier::neighborhood {

/// Empty if the neighborhood is isomorphic.
[[nodiscard]] std::string refuses_combining(Request const& request);

/// @param request refuses_combining() must be empty for all here.
[[nodiscard]] Forest forest_of(Request const& request);

[[nodiscard]] schedule::RankProgram combine(Request const& request, int rank);

/// Over all ranks; O(1) of them if all dimensions are periodic.
[[nodiscard]] Facts combining_facts(Request const& request);

/// Of a rank whose neighbours all exist; O(edges of one rank).
[[nodiscard]] Facts combining_facts_inside(Request const& request);

}  // namespace espalier::neighborhood
