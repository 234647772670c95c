// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/machine/tree/machine.hpp"

namespace espalier::machine {

/// The core of each rank.
///
///     block         fill the cores in order
///     cyclic        deal ranks to the nodes in turn, passing over those that are full
///     cyclic:n      n ranks at a time
///     folded        as cyclic, but every other turn goes from the last node to the first
///     list:0,4,1    the core of rank 0, of rank 1, ...; may go on beyond the last rank
///
/// @throws Error argument for another text, if there are fewer cores than ranks, or for a list that
///   is too short, names a core twice, or one the machine does not have.
[[nodiscard]] std::vector<int>
place(Machine const& machine, std::string_view placement, int num_ranks);

/// How ranks lie on nodes.
struct Recognised {
  std::string placement;        ///< block, cyclic, cyclic:n, folded or arbitrary
  std::vector<int> node_order;  ///< nodes as the ranks first meet them
};

/// The placement that puts ranks on these nodes, the first that fits of block, cyclic, cyclic:n (n
/// rising) and folded. Nodes count in the order in which the ranks meet them.
///
/// @param cores_of_node for each number that occurs in node_of_rank, how many ranks the node could
///   take; empty: as many as it has. With it, a job that does not fill the machine is told right:
///   ranks on nodes 0 0 1 1 1 are block if nodes have 2 and 3 cores, arbitrary if both have 4.
[[nodiscard]] Recognised
recognise(std::span<int const> node_of_rank, std::span<int const> cores_of_node = {});

}  // namespace espalier::machine
