// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "espalier/machine/sources/environment.hpp"
#include "espalier/machine/sources/network.hpp"
#include "espalier/machine/tree/machine.hpp"

namespace espalier::machine {

/// What SLURM gave a job.
struct SlurmJob {
  std::vector<std::string> nodes;
  std::vector<int> tasks_per_node;  ///< empty: not said
  std::vector<int> cpus_per_node;   ///< empty: not said
  std::string
      distribution;  ///< of tasks to nodes: block, cyclic, plane=4, arbitrary; empty: not said

  /// The node of each task; nullopt where the variables do not say (arbitrary, no tasks per node).
  [[nodiscard]] std::optional<std::vector<int>> node_of_task() const;
};

/// From the SLURM_* variables; those of a step where there is one (SLURM_STEP_NODELIST), else those
/// of the job. nullopt without a node list.
/// @throws Error format that names the variable, also if it has not one number for each node.
[[nodiscard]] std::optional<SlurmJob> slurm_job(Environment const& environment);

/// The switches above the node of a process by SLURM_TOPOLOGY_ADDR and its _PATTERN, outermost
/// first; empty if they are not set or name no switch.
[[nodiscard]] std::vector<std::string> switches_of_address(Environment const& environment);

/// A machine and the names of its nodes.
struct NamedMachine {
  Machine machine;
  std::vector<std::string> node_names;
};

/// The machine of a job before it runs: levels of the network, node, core (processors, or tasks
/// where only those are known). Nodes stand in the order of the job, but those of a switch
/// together.
/// @throws Error argument if neither processors nor tasks are known, or the network has levels but
///   not all nodes of the job.
[[nodiscard]] NamedMachine machine_of(SlurmJob const& job, Network const& network = {});

}  // namespace espalier::machine
