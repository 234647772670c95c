// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/schedule/collective.hpp"

namespace espalier::measure {

/// One collective along all dimensions of a grid, in several ways and orders of the ranks.
struct GridPoint {
  std::vector<int> extents;
  schedule::Collective collective = schedule::Collective::bcast;  ///< bcast, gather or scatter
  std::int64_t bytes = 0;  ///< of the message of each line; of a gather or scatter all parts
  bool is_overlapped = false;
  /// `native`, `pipeline` (a bcast only) or `binomial`; none: each of them that there is.
  std::vector<std::string> ways{};
  std::int64_t segment_bytes = 65536;  ///< of pipelines
  std::vector<std::string> mappings{"identity", "tile"};
  /// Calls for which the fastest mapping is sought by trying; 0: not at all.
  int trial_calls = 0;
};

/// A file `espalier-grid-plan`, version 1.
struct GridPlan {
  static constexpr std::string_view schema = "espalier-grid-plan";
  static constexpr int version = 1;

  int min_repetitions = 5;
  int max_repetitions = 20;
  double seconds = 60;
  std::vector<GridPoint> points;

  /// @param origin name of the file, for messages.
  /// @throws Error format, one line: where, what was expected, what was found.
  static GridPlan parse(std::string_view text, std::string_view origin);
};

}  // namespace espalier::measure
