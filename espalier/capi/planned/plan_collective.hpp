// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "include/espalier_planned.h"

#include <mpi.h>

#include "espalier/capi/barrier.hpp"
#include "espalier/capi/planned/planner.hpp"

namespace espalier::capi {

/// What every function espalier_<collective>_init() is.
template <typename Call>
int plan_collective(
    Call const& call,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
) noexcept {
  if (request != nullptr) {
    *request = nullptr;
  }
  return on(comm, [&] { Planner::of(comm).plan(call, {.options = options, .request = request}); });
}

}  // namespace espalier::capi
