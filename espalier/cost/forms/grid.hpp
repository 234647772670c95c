// SPDX-License-Identifier: Apache-2.0

/// @file
/// The models of [karlsson2012] for collectives along the dimensions of a process grid, on nodes
/// with several cores that share c channels to the network. Printed slips are corrected.

#pragma once

#include <span>

#include "espalier/cost/forms/hockney.hpp"

namespace espalier::cost {

/// Links inside a node and between nodes; both start a message in alpha.
struct Cluster {
  double alpha = 0;
  double beta_internal = 0;  ///< per byte
  double beta_external = 0;  ///< per byte
  double gamma = 0;          ///< per byte that is combined
  double channels = 1;       ///< messages that leave a node at the same time at full speed
};

/// A message cut into segments of equal size.
struct Segments {
  double bytes = 0;          ///< of the message
  double segment_bytes = 1;  ///< of one segment
};

/// Pipeline along a chain of p processes, p >= 2; with gamma > 0 partial sums travel.
[[nodiscard]] double chain_pipeline(Hockney const& machine, int p, Segments const& segments);
/// The segment size for which chain_pipeline() is least; at most the message.
[[nodiscard]] double best_segment_bytes(Hockney const& machine, int p, double bytes);

/// Sum over dimensions i of the product of the other extents: lines of a grid in all dimensions,
/// and external links of a node whose cores form a block of these extents.
[[nodiscard]] double num_lines(std::span<int const> extents);

/// Sum over dimensions of the most links along it that leave one node, without wrap-around.
/// @param node_of of each grid position, the first dimension running fastest.
[[nodiscard]] int external_links(std::span<int const> node_of, std::span<int const> extents);

/// Pipelines along each dimension, one dimension after the other; the chain is the case of one.
/// @param external as external_links().
[[nodiscard]] double grid_pipeline(
    Cluster const& cluster, std::span<int const> extents, double external, Segments const& segments
);

/// How much faster a grid pipeline is at most with tiles of these extents than with strips, as the
/// links inside nodes become infinitely fast.
[[nodiscard]] double tiling_gain(std::span<int const> tile);
/// The bound over all tiles of k cores in d dimensions.
[[nodiscard]] double most_tiling_gain(int num_cores, int num_dimensions);

/// Binomial scatter of p blocks when only `channels` messages travel at full speed at a time, per
/// block: infinitely many channels give p - 1.
[[nodiscard]] double binomial_scatter_volume(int p, double channels);

/// Binomial scatter on two groups of cores, per block: in each step the slower of the links inside
/// the groups and between them, each with so many channels.
/// @param group_of 0 or 1, of each position in the tree; a power of two of them.
[[nodiscard]] double binomial_scatter_time(
    std::span<int const> group_of, double inside, double between, double channels
);

/// Stages of a binomial tree that stay inside nodes of k cores: as often as 2 divides k.
[[nodiscard]] int internal_stages(int num_cores);
/// Binomial tree over nodes * cores processes in node order.
[[nodiscard]] double
multicore_binomial(Cluster const& cluster, int num_nodes, int num_cores, double bytes);
/// Binomial trees along each dimension, one after the other; cores of a node form a tile. In
/// external stages the lines that leave a node along a dimension share its channels.
[[nodiscard]] double grid_binomial(
    Cluster const& cluster, std::span<int const> extents, std::span<int const> tile, double bytes
);

}  // namespace espalier::cost
