// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

namespace espalier::machine {

/// Nodes as points of a grid that closes in every dimension; the first dimension runs fastest. A
/// message hops along the dimensions in order, the shorter way round, upwards where both are equal.
struct Torus {
  std::vector<int> extents;  ///< empty: the nodes form no torus
  double hop_latency = 0;    ///< seconds a hop costs in addition to the link's latency
  double link_per_byte = 0;  ///< seconds per byte on each link between neighbours; 0: never shared

  [[nodiscard]] bool exists() const noexcept { return !extents.empty(); }

  friend bool operator==(Torus const&, Torus const&) = default;
};

}  // namespace espalier::machine
