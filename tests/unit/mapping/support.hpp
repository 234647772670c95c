// SPDX-License-Identifier: Apache-2.0

/// @file
/// The published round-trip times that the tests of orders use.

#pragma once

#include <cstddef>
#include <vector>

#include "espalier/mapping/orders/rtt_matrix.hpp"

namespace espalier::mapping {

/// One node of RA: 8 cores on two chips, 16 kB, microseconds [karlsson2012, table 4.1].
inline RttMatrix ra_matrix() {
  return RttMatrix(
      8,
      {
          0.00,  32.74, 30.69, 30.62, 32.42, 30.63, 32.25, 32.79,  //
          32.37, 0.00,  32.97, 32.90, 30.35, 32.56, 30.59, 30.41,  //
          30.60, 33.50, 0.00,  30.67, 32.68, 30.58, 32.52, 32.81,  //
          30.34, 33.37, 30.75, 0.00,  32.73, 30.46, 32.78, 33.01,  //
          32.67, 30.56, 32.81, 32.62, 0.00,  32.91, 30.53, 30.50,  //
          30.61, 33.24, 30.97, 30.67, 32.87, 0.00,  32.76, 32.83,  //
          32.70, 30.51, 32.65, 32.86, 30.62, 32.85, 0.00,  30.49,  //
          32.91, 30.63, 32.87, 32.72, 30.50, 32.97, 30.67, 0.00,   //
      }
  );
}

/// The chip of each core of RA, as its matrix shows them.
inline std::vector<int> ra_groups() {
  return {0, 1, 0, 0, 1, 0, 1, 1};
}

/// `near` inside a group and `far` between groups.
inline RttMatrix two_level(std::vector<int> const& group_of_rank, double near, double far) {
  std::vector<double> times;
  for (int const group : group_of_rank) {
    for (int const other : group_of_rank) {
      times.push_back(group == other ? near : far);
    }
  }
  return RttMatrix(static_cast<int>(group_of_rank.size()), times);
}

/// What stands at each position, by group.
inline std::vector<int>
pattern_of(std::vector<int> const& ranks, std::vector<int> const& group_of_rank) {
  std::vector<int> groups;
  for (int const rank : ranks) {
    groups.push_back(group_of_rank[static_cast<std::size_t>(rank)]);
  }
  return groups;
}

}  // namespace espalier::mapping
