// SPDX-License-Identifier: Apache-2.0

/// @file
/// Alltoall in two phases, between rows and within rows of consecutive ranks. Ranks that do not
/// lead a piece hand all their blocks to its leader first and get the result from it.

#pragma once

#include "espalier/algorithms/composed/multi_lane.hpp"

namespace espalier::algorithms {

/// The algorithms of the phases.
struct LaneExchange {
  MultiLane multi;
  FirstPhase first;
  Choice up = Choice::parse("gather/binomial");
  Choice down = Choice::parse("scatter/binomial");

  /// To the leaders of pieces, the two phases in their order, from the leaders of pieces.
  [[nodiscard]] std::vector<Stage> stages(Lanes const& lanes) const;
  [[nodiscard]] schedule::RankProgram program(int rank) const;
};

/// What both alltoalls by lanes use unless told otherwise.
inline constexpr LaneAlgorithms exchange_fallbacks{
    .split = "alltoall/pairwise",
    .lane = "alltoall/pairwise",
    .join = {},
};

/// A LaneExchange as a request asks for it.
template <FirstPhase first_phase> struct ExchangePlan : LaneExchange {
  explicit ExchangePlan(Request const& request)
      : LaneExchange{MultiLane::parse(request, exchange_fallbacks), first_phase} {}
};

}  // namespace espalier::algorithms
