// SPDX-License-Identifier: Apache-2.0

/// @file
/// Included before a test of blocking collectives: each of them becomes a persistent one that is
/// initialised, started, completed and freed.

#pragma once

#include <mpi.h>

#include "tests/shim/completing.hpp"
#include "tests/shim/persistent_names.h"

namespace shim_test {

/// The call that `Init` initialises, from its start to its end.
template <auto Init, typename... Arguments> int plan_and_complete(Arguments... arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = Init(arguments..., MPI_INFO_NULL, &request);
  if (code != MPI_SUCCESS) {
    return code;
  }
  code = MPI_Start(&request);
  code = code == MPI_SUCCESS ? complete_planned(request) : code;
  if (code == MPI_SUCCESS) {
    MPI_Request_free(&request);
  }
  return code;
}

}  // namespace shim_test

// The tests call functions of MPI by these names.
#define MPI_Allgather shim_test::plan_and_complete<ESPALIER_PERSISTENT(Allgather)>
#define MPI_Allgatherv shim_test::plan_and_complete<ESPALIER_PERSISTENT(Allgatherv)>
#define MPI_Allreduce shim_test::plan_and_complete<ESPALIER_PERSISTENT(Allreduce)>
#define MPI_Alltoall shim_test::plan_and_complete<ESPALIER_PERSISTENT(Alltoall)>
#define MPI_Alltoallv shim_test::plan_and_complete<ESPALIER_PERSISTENT(Alltoallv)>
#define MPI_Alltoallw shim_test::plan_and_complete<ESPALIER_PERSISTENT(Alltoallw)>
#define MPI_Barrier shim_test::plan_and_complete<ESPALIER_PERSISTENT(Barrier)>
#define MPI_Bcast shim_test::plan_and_complete<ESPALIER_PERSISTENT(Bcast)>
#define MPI_Exscan shim_test::plan_and_complete<ESPALIER_PERSISTENT(Exscan)>
#define MPI_Gather shim_test::plan_and_complete<ESPALIER_PERSISTENT(Gather)>
#define MPI_Gatherv shim_test::plan_and_complete<ESPALIER_PERSISTENT(Gatherv)>
#define MPI_Reduce shim_test::plan_and_complete<ESPALIER_PERSISTENT(Reduce)>
#define MPI_Reduce_scatter shim_test::plan_and_complete<ESPALIER_PERSISTENT(Reduce_scatter)>
#define MPI_Reduce_scatter_block                                                                   \
  shim_test::plan_and_complete<ESPALIER_PERSISTENT(Reduce_scatter_block)>
#define MPI_Scan shim_test::plan_and_complete<ESPALIER_PERSISTENT(Scan)>
#define MPI_Scatter shim_test::plan_and_complete<ESPALIER_PERSISTENT(Scatter)>
#define MPI_Scatterv shim_test::plan_and_complete<ESPALIER_PERSISTENT(Scatterv)>
