// SPDX-License-Identifier: Apache-2.0

/// @file
/// The mapping of a grid that is fastest for what a program does, found by trying.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/plan/topologies/grid_lines.hpp"
#include "espalier/plan/topologies/machine_text.hpp"

namespace espalier::plan {

/// What finding a mapping took on the slowest rank, in microseconds. The steps are those of
/// [karlsson2012]; memory is allocated inside the steps that need it.
struct GridOverhead {
  double sort_us = 0;       ///< where ranks run, ordered by node
  double choose_us = 0;     ///< divisors, walks, scores
  double rearrange_us = 0;  ///< rank vectors, made on rank 0 and sent to all
  double create_us = 0;     ///< communicators
  double trial_us = 0;      ///< calls on candidates, warm-up included

  [[nodiscard]] double total_us() const noexcept {
    return sort_us + choose_us + rearrange_us + create_us + trial_us;
  }
};

/// A candidate that was tried.
struct TriedMapping {
  std::string name;
  double call_us = 0;  ///< mean time of a call on the slowest rank
};

struct MappedGrid {
  std::unique_ptr<GridLines> lines;  ///< null on ranks that got no position
  std::string mapping;               ///< name of what was chosen
  GridOverhead overhead{};
  std::vector<TriedMapping> tried{};  ///< `identity` first; empty if nothing was tried

  /// Calls after which the chosen mapping has saved what finding it took; infinity if it saves
  /// nothing.
  [[nodiscard]] double num_calls_to_pay() const noexcept;
};

/// What the program will do on the grid; collective over it. @return MPI_SUCCESS or an error code.
using GridPattern = std::function<int(GridLines&)>;

struct GridRequest {
  mapping::CartesianGrid grid;
  /// Name of a mapping as of grid_candidate(); empty: the best of the portfolio by its score.
  std::string mapping{};
  /// If there is one, candidates are tried and the fastest is kept. On all ranks or on none.
  GridPattern pattern{};
  int num_calls = 3;       ///< of each candidate that are timed, after one that is not
  int num_candidates = 4;  ///< at most, `identity` among them
  MachineText machine{};   ///< significant on rank 0
};

/// The grid in the order asked for. Ranks from the number of positions on get none.
///
/// Collective over comm, an intracommunicator; the request must be equal on all ranks.
/// Communicates: finding places, a broadcast of rank vectors, one MPI_Comm_split and one
/// MPI_Cart_create for each order that is made, and an allreduce for each step that is timed.
/// @throws Error argument, mpi; the same on all ranks, unless a pattern fails on some only.
[[nodiscard]] MappedGrid make_grid(MPI_Comm comm, GridRequest const& request);

}  // namespace espalier::plan
