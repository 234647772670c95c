// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/start_barrier.hpp"

namespace espalier::measure {

int start_barrier(MPI_Comm comm) noexcept {
  int rank = 0;
  int num_ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &num_ranks);
  for (int distance = 1; distance < num_ranks; distance *= 2) {
    int const to = (rank + distance) % num_ranks;
    int const from = (rank - distance + num_ranks) % num_ranks;
    int const code = PMPI_Sendrecv(
        nullptr, 0, MPI_BYTE, to, 0, nullptr, 0, MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE
    );
    if (code != MPI_SUCCESS) {
      return code;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace espalier::measure
