// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/world_ranks.hpp"

#include <cstddef>
#include <numeric>

#include "espalier/mpi/success.hpp"

namespace espalier::mpi {

std::vector<int> world_ranks(MPI_Comm comm, MPI_Comm world) {
  int num_ranks = 0;
  require_success(PMPI_Comm_size(comm, &num_ranks), "MPI_Comm_size");
  std::vector<int> ranks(static_cast<std::size_t>(num_ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> result(ranks.size());
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group others = MPI_GROUP_NULL;
  require_success(PMPI_Comm_group(comm, &group), "MPI_Comm_group");
  require_success(PMPI_Comm_group(world, &others), "MPI_Comm_group");
  int const code =
      PMPI_Group_translate_ranks(group, num_ranks, ranks.data(), others, result.data());
  PMPI_Group_free(&others);
  PMPI_Group_free(&group);
  require_success(code, "MPI_Group_translate_ranks");
  return result;
}

}  // namespace espalier::mpi
