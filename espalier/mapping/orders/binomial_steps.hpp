// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <limits>
#include <span>
#include <vector>

#include "espalier/mapping/orders/rtt_matrix.hpp"

namespace espalier::mapping {

/// A message of a step of a binomial tree, downwards.
struct TreeMessage {
  int from = 0;    ///< rank
  int to = 0;      ///< rank
  int blocks = 0;  ///< ranks below `to`, with itself
};

/// The messages of each step of the binomial tree over ranks in an order, root at position 0. A
/// scatter and a bcast run them first to last, a gather last to first and upwards.
[[nodiscard]] std::vector<std::vector<TreeMessage>> binomial_steps(std::span<int const> ranks);

/// Messages at the same time without losing bandwidth.
struct Channels {
  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  double across = unlimited;  ///< out of, and into, one group from others
  double inside = unlimited;  ///< inside one group

  friend bool operator==(Channels const&, Channels const&) = default;
};

/// Which blocks travel.
enum class Payload {
  subtree,  ///< scatter, gather: those of all ranks below
  whole,    ///< bcast: one
};

/// How long each step takes: its slowest message, half a round-trip time for each block, as many
/// times longer as there are messages for each channel it uses. In the unit of the matrix.
/// @param group_of_rank any number for each group.
[[nodiscard]] std::vector<double> step_times(
    RttMatrix const& matrix,
    std::span<int const> ranks,
    std::span<int const> group_of_rank,
    Channels const& channels,
    Payload payload
);

/// When the last rank is served: every rank passes on what it has, one message after the other, in
/// the order of the steps but without waiting for the steps of others. Messages take as long as in
/// step_times(), whose sum is never less; it is the same for a full tree in which each step has one
/// time. A gather takes as long as a scatter.
[[nodiscard]] double completion_time(
    RttMatrix const& matrix,
    std::span<int const> ranks,
    std::span<int const> group_of_rank,
    Channels const& channels,
    Payload payload
);

}  // namespace espalier::mapping
