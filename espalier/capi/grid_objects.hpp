// SPDX-License-Identifier: Apache-2.0

/// @file
/// The object behind the handle of espalier_grid.h.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "include/espalier_grid.h"

#include <mpi.h>

#include "espalier/capi/barrier.hpp"
#include "espalier/capi/device_buffers.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/topologies/grid_lines.hpp"

namespace espalier::capi {

/// How a grid runs its collectives.
struct GridWays {
  std::string algorithm = "native";
  std::int64_t segment_bytes = 65536;
  bool is_overlapped = false;
};

/// A grid while the pattern of a program runs on it, and after.
struct GridView {
  plan::GridLines* lines;
  GridWays ways;
  DeviceBuffers devices;  ///< looked for where algorithms of ours run
};

}  // namespace espalier::capi

struct espalier_grid {
  espalier::capi::GridView view;
  std::unique_ptr<espalier::plan::GridLines> owner{};  ///< null for a candidate that is tried
  espalier_grid_overhead overhead{};
  std::string mapping{};
};

namespace espalier::capi {

/// The action on the grid; what fails is delivered to the handler of its communicator.
template <typename Action> int on(espalier_grid* grid, Action&& action) noexcept {
  if (grid == nullptr) {
    return plan::raise(MPI_COMM_SELF, MPI_ERR_ARG);
  }
  return delivering(
      [&] { return grid->view.lines->comm(); }, [&] { return std::forward<Action>(action)(*grid); }
  );
}

}  // namespace espalier::capi
