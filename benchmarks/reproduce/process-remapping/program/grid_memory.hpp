// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/reproduce/process-remapping/program/grid_plan.hpp"
#include "espalier/measure/halo/halo_memory.hpp"
#include "espalier/plan/topologies/grid_lines.hpp"

namespace espalier::measure {

/// What a rank sends and receives along all dimensions of a point, root 0 on each line, and how it
/// is proved.
class GridMemory {
public:
  explicit GridMemory(GridPoint const& point);

  /// The arguments of each dimension.
  [[nodiscard]] std::vector<plan::LineCall> calls();

  /// Whether what is received can be compared.
  [[nodiscard]] bool holds_values() const noexcept { return memory_.holds_values(); }

  /// What this rank contributes, different for every stamp, and other values where results go.
  void fill(schedule::Grid const& grid, int rank, std::uint32_t stamp);

  /// What is wrong with the results of a run after fill(); empty if nothing.
  [[nodiscard]] std::string
  problem(schedule::Grid const& grid, int rank, std::uint32_t stamp) const;

private:
  /// Floats of one part along a dimension: the whole message of a bcast.
  [[nodiscard]] std::size_t part(int dimension) const;
  /// Floats before those of a dimension.
  [[nodiscard]] std::size_t offset(int dimension) const;

  GridPoint point_;
  mutable HaloMemory memory_;
};

}  // namespace espalier::measure
