// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

#include "espalier/cost/replay/channels.hpp"
#include "espalier/machine/tree/torus.hpp"

namespace espalier::cost {

/// The links between neighbours of a torus, one each way, each for one message at a time.
class TorusLinks {
public:
  TorusLinks() = default;
  /// @throws Error argument unless the extents are positive and have num_nodes points.
  TorusLinks(machine::Torus const& torus, int num_nodes);

  /// True if messages can wait for each other.
  [[nodiscard]] bool are_shared() const noexcept { return torus_.link_per_byte > 0; }

  [[nodiscard]] double per_byte() const noexcept { return torus_.link_per_byte; }

  /// The link that a message at a node takes next, and the node it reaches; the nodes differ.
  struct Hop {
    int link = 0;
    int node = 0;
  };

  [[nodiscard]] Hop next_hop(int from, int to) const;

  /// When a message begins to pass a link that asks for it at `now`.
  double pass(int link, double bytes, double now) {
    return links_.serve(link, now, bytes * torus_.link_per_byte);
  }

  [[nodiscard]] int num_hops(int from, int to) const;

  [[nodiscard]] double hop_latency() const noexcept { return torus_.hop_latency; }

  [[nodiscard]] double busiest() const { return links_.busiest(); }

private:
  [[nodiscard]] int extent(int dimension) const {
    return torus_.extents[static_cast<std::size_t>(dimension)];
  }

  machine::Torus torus_;
  Channels links_;  ///< of node, dimension and direction
};

}  // namespace espalier::cost
