// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/patient_reduction.hpp"

#include "espalier/plan/communicators/underway.hpp"

namespace espalier::plan {

int find_largest(std::span<std::int64_t> words, MPI_Comm comm) noexcept {
#ifdef ESPALIER_MPI_SIMULATED
  // A nonblocking one sends a message from each rank to each other one there.
  return find_largest_at_once(words, comm);
#else
  auto const num_words = static_cast<int>(words.size());
  MPI_Request request = MPI_REQUEST_NULL;
  int code =
      PMPI_Iallreduce(MPI_IN_PLACE, words.data(), num_words, MPI_INT64_T, MPI_MAX, comm, &request);
  for (int is_complete = 0; code == MPI_SUCCESS && is_complete == 0;) {
    Underway::poll();
    code = PMPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
  }
  return code;
#endif
}

int find_largest_at_once(std::span<std::int64_t> words, MPI_Comm comm) noexcept {
  auto const num_words = static_cast<int>(words.size());
  return PMPI_Allreduce(MPI_IN_PLACE, words.data(), num_words, MPI_INT64_T, MPI_MAX, comm);
}

}  // namespace espalier::plan
