// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "espalier/machine/job/job_view.hpp"
#include "espalier/machine/sources/node_tree.hpp"

namespace espalier::machine {

/// A node that ranks of a job run on.
struct Site {
  std::string name;        ///< processor name of its lowest rank; node0, node1, ... if it has none
  std::vector<int> ranks;  ///< ascending
  NodeTree tree;           ///< a core for each rank where nothing is known
};

/// The shared memory groups of a job, by their lowest ranks.
/// @throws Error argument if there is no rank, a group is not named after its lowest rank, or a
///   tree is missing.
[[nodiscard]] std::vector<Site> sites_of(JobView const& job);

}  // namespace espalier::machine
