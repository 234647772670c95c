// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/distances.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::mapping {

using machine::Machine;

int Distances::num_groups() const {
  return static_cast<int>(std::set<int>(group_of_rank.begin(), group_of_rank.end()).size());
}

bool has_times(Machine const& machine) {
  for (int level = 0; level < machine.num_levels(); ++level) {
    if (machine.link(level).alpha() > 0 || machine.link(level).beta() > 0) {
      return true;
    }
  }
  return false;
}

int level_of_groups(Machine const& machine, std::span<int const> core_of_rank) {
  int level = machine.num_levels() - 1;
  for (int const core : core_of_rank) {
    level = std::min(level, machine.crossing(core_of_rank.front(), core));
  }
  return level;
}

Channels channels_of(Machine const& machine, int level) {
  machine::Link const& across = machine.link(level);
  bool const is_last = level + 1 == machine.num_levels();
  return {
      .across = std::min(across.channels, across.shared_channels),
      .inside = is_last ? Channels::unlimited : machine.link(level + 1).shared_channels,
  };
}

Distances
described_distances(Machine const& machine, std::span<int const> core_of_rank, double bytes) {
  RttMatrix const seconds = RttMatrix::of_machine(machine, core_of_rank, bytes);
  std::vector<double> times;
  for (int from = 0; from < seconds.num_ranks(); ++from) {
    for (int to = 0; to < seconds.num_ranks(); ++to) {
      times.push_back(from == to ? 0 : seconds(from, to) * 1e6);
    }
  }
  Channels const said = channels_of(machine, level_of_groups(machine, core_of_rank));
  return {
      .rtt = RttMatrix(seconds.num_ranks(), std::move(times)),
      .group_of_rank = groups_of(machine, core_of_rank),
      .channels =
          {.across = std::isinf(said.across) ? usual_channels : std::max(1.0, said.across),
           .inside = std::max(1.0, said.inside)},
  };
}

Distances measured_distances(Places const& places, LevelCosts const& costs) {
  auto const num_levels = static_cast<std::size_t>(places.num_levels());
  bool const fits = costs.rtt_us.size() == num_levels + 1 && costs.group_level >= 0 &&
                    costs.group_level <= places.num_levels();
  if (!fits) {
    throw Error(
        ErrorCode::argument,
        "expected times of " + std::to_string(num_levels + 1) + " kinds of pairs, got " +
            std::to_string(costs.rtt_us.size())
    );
  }
  std::vector<double> times;
  for (int from = 0; from < places.num_ranks(); ++from) {
    for (int to = 0; to < places.num_ranks(); ++to) {
      times.push_back(costs.rtt_us[static_cast<std::size_t>(places.crossing(from, to))]);
    }
  }
  Distances result{
      .rtt = RttMatrix(places.num_ranks(), std::move(times)),
      .group_of_rank = std::vector<int>(static_cast<std::size_t>(places.num_ranks())),
      .channels = costs.channels,
  };
  // Where each rank is alone in its group, they all are one.
  if (costs.group_level < places.num_levels() &&
      std::ranges::max(places.sizes(costs.group_level)) > 1) {
    result.group_of_rank = places.groups(costs.group_level).group_of_rank;
  }
  return result;
}

}  // namespace espalier::mapping
