// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <optional>
#include <string>

#include <mpi.h>

#include "espalier/machine/job/job_view.hpp"
#include "espalier/machine/sources/environment.hpp"

namespace espalier::machine {

/// What one rank can find out without the others. Tests put in other facts.
struct Surroundings {
  std::string processor_name;
  CpuSet allowed;  ///< empty: not known
  Environment environment;
  std::function<NodeTree()> read_tree;  ///< called by the lowest rank of each node; may throw Error
  /// Ranks with the same number share memory. Absent on all ranks, or on none: then
  /// MPI_COMM_TYPE_SHARED says who does.
  std::optional<int> shared_color{};
  bool is_simulated = false;  ///< equal on all ranks

  /// Of this process: the kernel describes the node in /sys.
  /// @param environment what the launcher and SLURM left for the process; empty: nothing.
  static Surroundings by_kernel(Environment environment = {});
  /// Of this process: hwloc describes the node, or /sys where hwloc cannot. Stands beside
  /// mpi_discovery.hpp: who calls it links libhwloc.
  static Surroundings here(Environment environment = {});
};

/// Collects what all ranks see. Equal trees travel once; each rank holds O(ranks + cores).
///
/// Collective over comm. What fails on one rank alone becomes its RankView::warning.
/// @throws Error mpi
[[nodiscard]] JobView observe(MPI_Comm comm, Surroundings const& surroundings);

/// The same on rank 0, nothing on the others.
[[nodiscard]] std::optional<JobView>
observe_at_root(MPI_Comm comm, Surroundings const& surroundings);

}  // namespace espalier::machine
