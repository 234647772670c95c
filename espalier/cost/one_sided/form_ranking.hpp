// SPDX-License-Identifier: Apache-2.0

/// @file
/// Which candidate of a request the model finds fastest.
///
/// Planning is bounded. First the replay of messages ranks the choices of the catalog by their
/// schedules alone, and gives up early what cannot be among the first (ranking/ranking.hpp). Only
/// for the first few the one-sided programs of all ranks are made and replayed, in each legal form,
/// until so many operations were replayed: schedules with p^2 messages reach that among some
/// hundred ranks. What modes and mechanisms add is much the same for all schedules, so that the
/// first step rarely drops the best one.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/one_sided/calls.hpp"
#include "espalier/cost/one_sided/request.hpp"

namespace espalier::cost {

struct RankedOneSided {
  OneSidedCandidate candidate;
  double time = 0;  ///< of one call, in the unit of the machine
};

/// How far planning goes.
struct PlanningLimits {
  int most_choices = 4;  ///< replayed in all forms; at least 1
  /// Of all ranks and candidates; what goes beyond it is the last one replayed.
  std::int64_t most_operations = std::int64_t{1} << 18;

  /// Every candidate is replayed.
  static constexpr PlanningLimits none() {
    return {
        .most_choices = std::numeric_limits<int>::max(),
        .most_operations = std::numeric_limits<std::int64_t>::max()
    };
  }
};

/// The candidates that were replayed, fastest first. Equal times keep the order in which the first
/// step left their choices.
/// @throws Error unsupported if nothing serves the request; argument as applicable_choices().
[[nodiscard]] std::vector<RankedOneSided> rank_one_sided(
    OneSidedRequest const& request,
    OneSidedMachine const& machine,
    PlanningLimits const& limits = {}
);

/// The same of other choices than those of the catalog that can serve, in place of
/// applicable_choices(): as candidates::node_variants() gives them.
[[nodiscard]] std::vector<RankedOneSided> rank_one_sided(
    std::vector<algorithms::Choice> const& choices,
    OneSidedRequest const& request,
    OneSidedMachine const& machine,
    PlanningLimits const& limits = {}
);

/// The first of rank_one_sided().
[[nodiscard]] RankedOneSided best_one_sided(
    OneSidedRequest const& request,
    OneSidedMachine const& machine,
    PlanningLimits const& limits = {}
);

}  // namespace espalier::cost
