// SPDX-License-Identifier: Apache-2.0

/// @file
/// Which algorithm for which block size, from the speed of links. Only what is equal on all ranks
/// goes in, so that all choose the same without a message.
///
/// A message occupies its rank for the larger overhead and the gap of its link, and arrives what is
/// left of alpha later; a link that has neither overheads nor a gap, as Hockney's has, is occupied
/// for all of alpha. In a round
///
///     time = latency + messages occupied + max(blocks of the rank beta,
///                                              blocks of its node beta / channels) bytes
///
/// for the messages between nodes, and what messages inside the node take beside their latency.
/// Copies inside a rank are not counted. With t messages directly, and C of V blocks combined, on
/// Hockney's machine combining is faster below alpha / beta (t - C) / (V - t) bytes [traeff2019].

#pragma once

#include "espalier/machine/tree/link.hpp"
#include "espalier/neighborhood/algorithm.hpp"

namespace espalier::neighborhood {

/// How long an algorithm takes: a straight line over the block size.
struct Line {
  double fixed = 0;     ///< seconds
  double per_byte = 0;  ///< seconds per byte of one block

  [[nodiscard]] double seconds(double block_bytes) const noexcept {
    return fixed + per_byte * block_bytes;
  }
};

struct Links {
  machine::Link across;  ///< between nodes
  machine::Link inside;  ///< inside a node; not looked at if nodes are not known
};

/// If nodes are not known and all ranks have the same offsets: that of a rank inside the grid,
/// which takes O(edges of one rank). Otherwise of the busiest rank in each round: O(edges of all
/// ranks), so that one rank should do it for all.
/// @throws Error unsupported if the algorithm refuses the request.
[[nodiscard]] Line line(Algorithm const& algorithm, Request const& request, Links const& links);

/// The block sizes from `from` to `to` for which a line lies below another: empty, or a half-line,
/// or all from 0 to infinity.
struct Interval {
  double from = 0;
  double to = 0;

  [[nodiscard]] bool is_empty() const noexcept { return from >= to; }
};

[[nodiscard]] Interval faster_bytes(Line const& one, Line const& than) noexcept;

/// The fastest of the catalog that serves the request and needs no sizes exchanged; `direct` unless
/// another is faster by more than `margin` (0.1: takes at most 0.9 of the time).
/// @throws Error argument if block_bytes or margin is negative.
[[nodiscard]] Algorithm const&
choose(Request const& request, Links const& links, double block_bytes, double margin = 0.0);

}  // namespace espalier::neighborhood
