// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include <mpi.h>

#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/halo/halo_input.hpp"

namespace espalier::measure {

/// The Cartesian communicator of a case, over all ranks of a job; freed with the object.
class GridCommunicator {
public:
  /// Collective.
  /// @throws Error, the same on all ranks: mpi, or argument if the grid leaves ranks out.
  GridCommunicator(Job const& job, HaloGroup const& group, HaloCase const& one);
  GridCommunicator(GridCommunicator&& other) noexcept;
  GridCommunicator& operator=(GridCommunicator&&) = delete;
  GridCommunicator(GridCommunicator const&) = delete;
  GridCommunicator& operator=(GridCommunicator const&) = delete;
  ~GridCommunicator();

  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }

  [[nodiscard]] mapping::CartesianGrid const& grid() const noexcept { return grid_; }

  /// Of this rank in the grid.
  [[nodiscard]] int position() const noexcept { return position_; }

  /// The rank in the job at each position; empty but on rank 0 of the job.
  [[nodiscard]] std::vector<int> const& ranks() const noexcept { return ranks_; }

  /// How long making it took on the slowest rank.
  [[nodiscard]] double creation_us() const noexcept { return creation_us_; }

private:
  GridCommunicator() = default;

  void describe(Job const& job, std::vector<int> const& dims, HaloGroup const& group);

  MPI_Comm comm_ = MPI_COMM_NULL;
  mapping::CartesianGrid grid_{{1}};
  int position_ = 0;
  std::vector<int> ranks_;
  double creation_us_ = 0;
};

}  // namespace espalier::measure
