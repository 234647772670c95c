// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include <mpi.h>

#include "espalier/capi/onesided/conduit_object.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::capi {

/// Waits for requests of MPI while everything of the conduit goes on: a wait in the MPI library
/// would hold up collectives for which other ranks may wait.
/// @throws Error mpi.
inline void finish_requests(espalier_conduit& conduit, std::span<MPI_Request> requests) {
  conduit.wait_for_mpi([&] {
    int is_over = 0;
    mpi::require_success(
        PMPI_Testall(
            static_cast<int>(requests.size()), requests.data(), &is_over, MPI_STATUSES_IGNORE
        ),
        "MPI_Testall"
    );
    return is_over != 0;
  });
}

}  // namespace espalier::capi
