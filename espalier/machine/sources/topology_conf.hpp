// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "espalier/machine/sources/network.hpp"

namespace espalier::machine {

/// SLURM's topology.conf: a tree of switches (SwitchName= with Switches= or Nodes=), or blocks
/// (BlockName= Nodes=, BlockSizes=), where consecutive blocks form larger ones. Comments, continued
/// lines and keys in any case are understood; other keys are passed over, but TopologyPlugin= and
/// TopologyParam= (they belong to slurm.conf) give the hint.
///
/// The levels of a node are the switches above it, by their height above the nodes; where a height
/// is missing, the switch below it stands for it.
/// @throws Error format `origin:line: ...` for lines that are neither, a switch that is named
///   twice, unknown, below two others, or above itself, and a node in two switches.
[[nodiscard]] Network read_topology_conf(std::string_view text, std::string_view origin);

}  // namespace espalier::machine
