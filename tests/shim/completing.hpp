// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>

#include <mpi.h>

namespace shim_test {

/// Waits for one request, among null requests where the function takes several; with every function
/// of MPI that completes requests in turn.
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

/// The same with those functions that complete persistent collectives of every MPI library: others
/// of MPICH 4.0 fail or hang.
inline int complete_planned(MPI_Request request) {
  static thread_local int num_completed = 0;
  MPI_Request requests[] = {MPI_REQUEST_NULL, request};
  MPI_Status statuses[2];
  int is_complete = 0;
  int code = MPI_SUCCESS;
  switch (num_completed++ % 3) {
  case 0:
    return MPI_Waitall(2, requests, statuses);
  case 1:
    while (code == MPI_SUCCESS && is_complete == 0) {
      code = MPI_Request_get_status(request, &is_complete, MPI_STATUS_IGNORE);
    }
    [[fallthrough]];
  default:
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

}  // namespace shim_test
