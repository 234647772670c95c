// SPDX-License-Identifier: Apache-2.0

/// @file
/// Included before a test of blocking collectives: each of them becomes the nonblocking one and its
/// completion, see completing.hpp.

#pragma once

#include <mpi.h>

#include "tests/shim/completing.hpp"

namespace shim_test {

/// The call `Start`, from its start to its end.
template <auto Start, typename... Arguments> int start_and_complete(Arguments... arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  int const code = Start(arguments..., &request);
  return code == MPI_SUCCESS ? complete(request) : code;
}

}  // namespace shim_test

// The tests call functions of MPI by these names.
#define MPI_Allgather shim_test::start_and_complete<::MPI_Iallgather>
#define MPI_Allgatherv shim_test::start_and_complete<::MPI_Iallgatherv>
#define MPI_Allreduce shim_test::start_and_complete<::MPI_Iallreduce>
#define MPI_Alltoall shim_test::start_and_complete<::MPI_Ialltoall>
#define MPI_Alltoallv shim_test::start_and_complete<::MPI_Ialltoallv>
#define MPI_Alltoallw shim_test::start_and_complete<::MPI_Ialltoallw>
#define MPI_Barrier shim_test::start_and_complete<::MPI_Ibarrier>
#define MPI_Bcast shim_test::start_and_complete<::MPI_Ibcast>
#define MPI_Exscan shim_test::start_and_complete<::MPI_Iexscan>
#define MPI_Gather shim_test::start_and_complete<::MPI_Igather>
#define MPI_Gatherv shim_test::start_and_complete<::MPI_Igatherv>
#define MPI_Reduce shim_test::start_and_complete<::MPI_Ireduce>
#define MPI_Reduce_scatter shim_test::start_and_complete<::MPI_Ireduce_scatter>
#define MPI_Reduce_scatter_block shim_test::start_and_complete<::MPI_Ireduce_scatter_block>
#define MPI_Scan shim_test::start_and_complete<::MPI_Iscan>
#define MPI_Scatter shim_test::start_and_complete<::MPI_Iscatter>
#define MPI_Scatterv shim_test::start_and_complete<::MPI_Iscatterv>
