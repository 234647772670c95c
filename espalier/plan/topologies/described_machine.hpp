// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/machine/job/discovery.hpp"
#include "espalier/machine/tree/machine.hpp"

namespace espalier::machine {
struct MachineFile;
}  // namespace espalier::machine

namespace espalier::plan {

/// A machine and where the ranks of a job are on it.
struct SeatedRanks {
  machine::Machine machine;
  std::vector<int> core_of_rank;
};

/// What a job sees, with levels and links that a description adds; the cores are the ranks. Nodes
/// are found by name, without names in the order of their lowest ranks; ranks of a node take its
/// described cores in the order of those they are on. A description that begins inside a node, such
/// as "2s x 4c", describes one node.
/// @throws Error argument with all contradictions, or if nodes of different sizes have no names and
///   do not fit in this order, or if a description with switches or groups has no nodes.
[[nodiscard]] SeatedRanks
complete(machine::Discovery const& found, machine::MachineFile const& described);

}  // namespace espalier::plan
