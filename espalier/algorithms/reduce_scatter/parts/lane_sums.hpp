// SPDX-License-Identifier: Apache-2.0

/// @file
/// Reduce-scatter in two phases, between rows and within rows of consecutive ranks. Ranks that do
/// not lead a piece reduce to its leader first and get their parts from it.

#pragma once

#include "espalier/algorithms/composed/multi_lane.hpp"

namespace espalier::algorithms {

/// The algorithms of the phases.
struct LaneSums {
  MultiLane multi;
  FirstPhase first;
  Choice up = Choice::parse("reduce/binomial");
  Choice down = Choice::parse("scatter/binomial");

  /// To the leaders of pieces, the two phases in their order, from the leaders of pieces.
  [[nodiscard]] std::vector<Stage> stages(Lanes const& lanes) const;
  [[nodiscard]] schedule::RankProgram program(int rank) const;
};

}  // namespace espalier::algorithms
