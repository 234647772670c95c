// SPDX-License-Identifier: Apache-2.0

/// @file
/// Included before a test of blocking collectives: each of them becomes the nonblocking one and its
/// completion, by every function of MPI that completes requests in turn.

#pragma once

#include <array>

#include <mpi.h>

namespace shim_test {

/// Waits for one request, among null requests where the function takes several.
inline int complete(MPI_Request request) {
  static thread_local int num_completed = 0;
  std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, request, MPI_REQUEST_NULL};
  std::array<MPI_Status, 3> statuses{};
  std::array<int, 3> indices{};
  int index = 0;
  int flag = 0;
  int code = MPI_SUCCESS;
  switch (num_completed++ % 9) {
  case 0:
    return MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  case 1:
    return MPI_Waitall(3, requests.data(), statuses.data());
  case 2:
    return MPI_Waitany(3, requests.data(), &index, statuses.data());
  case 3:
    return MPI_Waitsome(3, requests.data(), &index, indices.data(), statuses.data());
  case 4:
    while (code == MPI_SUCCESS && flag == 0) {
      code = MPI_Test(&requests[1], &flag, statuses.data());
    }
    return code;
  case 5:
    while (code == MPI_SUCCESS && flag == 0) {
      code = MPI_Testall(3, requests.data(), &flag, MPI_STATUSES_IGNORE);
    }
    return code;
  case 6:
    while (code == MPI_SUCCESS && flag == 0) {
      code = MPI_Testany(3, requests.data(), &index, &flag, statuses.data());
    }
    return code;
  case 7:
    while (code == MPI_SUCCESS && index == 0) {
      code = MPI_Testsome(3, requests.data(), &index, indices.data(), statuses.data());
    }
    return code;
  default:
    while (code == MPI_SUCCESS && flag == 0) {
      code = MPI_Request_get_status(requests[1], &flag, statuses.data());
    }
    return MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  }
}

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
