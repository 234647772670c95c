// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/machine/sources/environment.hpp"

namespace espalier::machine {

/// What the program that started a process told it through its environment; what it did not tell
/// is absent.
struct Launcher {
  std::string name;  ///< openmpi, prrte, hydra, slurm; empty: started by none of them
  std::optional<int> rank{};
  std::optional<int> num_ranks{};
  std::optional<int> local_rank{};  ///< among the ranks of its node
  std::optional<int> num_local{};   ///< ranks on its node
  std::optional<int> node{};        ///< number of its node
  std::vector<int> node_of_rank{};  ///< of all ranks, where the launcher tells everyone

  friend bool operator==(Launcher const&, Launcher const&) = default;
};

/// Reads the variables of Open MPI 4 (OMPI_COMM_WORLD_*, OMPI_MCA_orte_*), Open MPI 5 (the same
/// without orte), PRRTE (PMIX_*), Hydra (PMI_*, MPI_LOCAL*, PMI_process_mapping) and SLURM
/// (SLURM_PROCID and others of a step). The one nearest to the process counts: an mpirun inside a
/// SLURM job is mpirun, since SLURM's numbers are then those of its daemons.
/// OMPI_COMM_WORLD_NODE_RANK is not the number of a node, and not used.
/// @throws Error format that names a variable whose value is not what the launcher writes.
[[nodiscard]] Launcher launcher_of(Environment const& environment);

/// The node of each rank by a mapping as PMI writes it: `(vector,(0,2,4),(2,1,2))` are 4 ranks on
/// each of 2 nodes from node 0 on, then 2 on node 2, and again from the front.
/// @throws Error format
[[nodiscard]] std::vector<int> expand_process_mapping(std::string_view mapping, int num_ranks);

}  // namespace espalier::machine
