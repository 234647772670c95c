// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include <mpi.h>

namespace espalier::measure {

/// The ranks that measure, and what is recorded about where they run.
struct Job {
  /// MPI_ERRORS_RETURN. A duplicate of MPI_COMM_WORLD; that itself on a simulated machine, where
  /// making a communicator takes p^2 messages for some libraries.
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int num_ranks = 1;
  int node = 0;  ///< lowest rank of those that share memory with this one
  int num_nodes = 1;
  /// Job::node of each rank; empty on a simulated machine, where whoever asks has chosen it.
  std::vector<int> node_of_rank;
  int max_ranks_per_node = 1;
  /// Fewest logical processors that the ranks of one node may use together, binding included.
  int min_cpus_per_node = 1;
  std::string library_version;  ///< first line of MPI_Get_library_version

  /// Collective over MPI_COMM_WORLD.
  static Job describe();
  /// Collective over comm, which becomes that of the job.
  static Job of(MPI_Comm comm);
  /// Collective; before MPI_Finalize.
  void finish() noexcept;
};

/// Collective: rank 0's value on all ranks.
/// @throws Error mpi
[[nodiscard]] int from_rank_0(Job const& job, int value);
[[nodiscard]] std::string from_rank_0(Job const& job, std::string text);

/// Collective: whether rank 0 has time left, so that all ranks go on or none does.
/// @throws Error mpi
[[nodiscard]] bool is_time_left(Job const& job, double seconds_left);

/// Collective: Job::node of each rank.
/// @throws Error mpi
[[nodiscard]] std::vector<int> nodes_of_ranks(Job const& job);

/// Collective: the text of the lowest rank whose text is not empty, with that rank in front
/// ("rank 3: ..."); empty if all are.
/// @throws Error mpi
[[nodiscard]] std::string first_complaint(Job const& job, std::string const& text);

}  // namespace espalier::measure
