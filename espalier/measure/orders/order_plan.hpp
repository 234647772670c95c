// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/measure/collectives/measurement_plan.hpp"

namespace espalier::measure {

/// A rank vector with a name.
struct NamedOrder {
  std::string name;
  mapping::RankVector ranks;
};

/// Which orders of ranks to compare, on which calls: a file `espalier-order-plan`, version 1.
struct OrderPlan {
  static constexpr std::string_view schema = "espalier-order-plan";
  static constexpr int version = 1;

  int root = 0;
  /// How often making each communicator is timed.
  int creations = 10;
  /// The root stands first in all of them. Others are compared with the first one, which is how
  /// ranks stand in the job.
  std::vector<NamedOrder> orders;
  /// Scatters, gathers and bcasts; choices run in every order, as the native call does.
  MeasurementPlan measurement;

  /// @param origin name of the file, for messages.
  /// @throws Error format, one line: where, what was expected, what was found.
  static OrderPlan parse(std::string_view text, std::string_view origin);

  [[nodiscard]] int num_ranks() const { return static_cast<int>(orders.front().ranks.size()); }
};

}  // namespace espalier::measure
