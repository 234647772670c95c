// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/mpi/mpi_attachment.hpp"

#include "espalier/mpi/success.hpp"
#include "espalier/onesided/message.hpp"

namespace espalier::onesided {

std::vector<std::uint64_t> gather_all(MPI_Comm comm, std::uint64_t value) {
  int num_ranks = 0;
  mpi::require_success(PMPI_Comm_size(comm, &num_ranks), "MPI_Comm_size");
  std::vector<std::uint64_t> values(static_cast<std::size_t>(num_ranks));
  mpi::require_success(
      PMPI_Allgather(&value, 1, MPI_UINT64_T, values.data(), 1, MPI_UINT64_T, comm), "MPI_Allgather"
  );
  return values;
}

std::vector<std::uint64_t>
exchange_sizes(MPI_Comm comm, std::uint64_t segment_bytes, std::size_t num_handlers) {
  for (std::uint64_t const found : gather_all(comm, num_handlers)) {
    require_handlers(found, num_handlers);
  }
  return gather_all(comm, segment_bytes);
}

mpi::OwnCommunicator ranks_of_node(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  mpi::require_success(
      PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made),
      "MPI_Comm_split_type"
  );
  return mpi::OwnCommunicator(made);
}

std::vector<int> nodes_of_ranks(MPI_Comm comm) {
  int rank = 0;
  mpi::require_success(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  int const first = ranks_of_node(comm).from_root(std::vector{rank}).front();
  std::vector<std::uint64_t> const nodes = gather_all(comm, static_cast<std::uint64_t>(first));
  return {nodes.begin(), nodes.end()};
}

}  // namespace espalier::onesided
