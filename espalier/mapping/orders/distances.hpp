// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "espalier/machine/tree/machine.hpp"
#include "espalier/mapping/orders/binomial_steps.hpp"
#include "espalier/mapping/orders/rtt_matrix.hpp"
#include "espalier/mapping/places.hpp"

namespace espalier::mapping {

/// What orders for trees go by.
struct Distances {
  RttMatrix rtt;  ///< microseconds
  std::vector<int> group_of_rank;
  Channels channels;

  [[nodiscard]] int num_groups() const;
};

/// Channels between groups where nothing is known of them, of [karlsson2012]: those of BlueDrop.
inline constexpr double usual_channels = 2;

/// Whether a machine says how long messages take.
[[nodiscard]] bool has_times(machine::Machine const& machine);

/// The first level in which cores of ranks differ; the last one if none do.
[[nodiscard]] int
level_of_groups(machine::Machine const& machine, std::span<int const> core_of_rank);

/// Channels of the links of a machine between groups of a level, and inside them.
[[nodiscard]] Channels channels_of(machine::Machine const& machine, int level);

/// What a machine with times says. Channels between groups that it does not limit are the usual
/// ones.
/// @throws Error argument as RttMatrix::of_machine().
[[nodiscard]] Distances described_distances(
    machine::Machine const& machine, std::span<int const> core_of_rank, double bytes
);

/// What was measured of each level of places. Ranks that first differ in a level that is not
/// distinct are as far apart as those of the next level inside it.
struct LevelCosts {
  std::vector<double> rtt_us;  ///< of each level, outermost first; last: inside the innermost one
  int group_level = 0;         ///< the outermost that is distinct; the number of levels if none is
  Channels channels{};         ///< between and inside its groups

  friend bool operator==(LevelCosts const&, LevelCosts const&) = default;
};

/// @throws Error argument if the costs are not those of as many levels.
[[nodiscard]] Distances measured_distances(Places const& places, LevelCosts const& costs);

}  // namespace espalier::mapping
