// SPDX-License-Identifier: Apache-2.0

/// @file
/// What collectives along the dimensions of a grid do with their arguments, once these are one
/// plan::LineCall for each dimension.

#pragma once

#include <string>
#include <vector>

#include "espalier/capi/grid_objects.hpp"
#include "espalier/plan/topologies/grid_lines.hpp"
#include "espalier/schedule/collective.hpp"

namespace espalier::capi {

/// A collective along all dimensions of a grid.
struct GridCollective {
  schedule::Collective collective;
  std::vector<plan::LineCall> lines;
};

/// @throws plan::ClassError if what is significant on this rank cannot be right.
void check(plan::GridLines const& grid, GridCollective const& call);

/// Algorithms of the catalog for the dimensions.
/// @throws Error unsupported.
[[nodiscard]] std::vector<std::string> choices_of(GridWays const& ways, GridCollective const& call);

/// Whether some rank has a buffer in memory that the processor must not touch. Collective.
/// @throws Error mpi.
[[nodiscard]] bool has_device_memory(GridView const& view, GridCollective const& call);

/// @throws Error unsupported on all ranks: what then cannot serve, and what can.
[[noreturn]] void refuse_device_memory(GridWays const& ways);

}  // namespace espalier::capi
