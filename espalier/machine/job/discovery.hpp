// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <vector>

#include "espalier/machine/job/findings.hpp"
#include "espalier/machine/job/job_view.hpp"
#include "espalier/machine/sources/network.hpp"
#include "espalier/machine/tree/machine.hpp"

namespace espalier::machine {

/// The machine a job runs on.
struct Discovery {
  /// All cores of all nodes the job uses. Levels inside nodes only as far as every rank stays
  /// inside one object of the level. Links are not known here and cost nothing.
  Machine machine;
  std::vector<int> core_of_rank;        ///< no two ranks have the same
  std::vector<std::string> node_names;  ///< of the nodes of the machine
  /// block, cyclic, cyclic:n, folded or arbitrary, as if nodes had a core for each of their ranks.
  std::string placement;
  std::vector<Finding> findings;
};

/// Puts together what the ranks saw. The same input gives the same result.
///
/// Nodes are shared memory groups, ordered by their lowest rank, those of a switch together where
/// the network is known. A rank sits on the core of its allowed ones that has the fewest ranks.
/// Where several have to share a core, each has a place of its own in a last level `thread`. Ranks
/// that are simulated, or of whose node nothing is known, have a core each.
/// @param network known from elsewhere; if it has no levels, what RankView::switches say.
/// @throws Error argument if there is no rank, a group is not named after its lowest rank, or a
///   tree is missing, empty, or has a processor twice.
[[nodiscard]] Discovery discover(JobView const& job, Network const& network = {});

/// Contradictions between a machine as somebody described it and the running job, as sentences;
/// empty if the job can run there.
/// @param node_names of the described machine; empty: not known.
[[nodiscard]] std::vector<std::string> compare(
    Machine const& described, std::span<std::string const> node_names, Discovery const& discovery
);

}  // namespace espalier::machine
