// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/broadcast.hpp"

#include <cstddef>
#include <utility>

#include "espalier/mpi/success.hpp"

namespace espalier::mpi {
namespace {

template <typename Values>
Values broadcast_as(MPI_Comm comm, Values values, int root, MPI_Datatype type) {
  auto length = static_cast<int>(values.size());
  require_success(PMPI_Bcast(&length, 1, MPI_INT, root, comm), "MPI_Bcast");
  values.resize(static_cast<std::size_t>(length));
  require_success(PMPI_Bcast(values.data(), length, type, root, comm), "MPI_Bcast");
  return values;
}

}  // namespace

std::string broadcast(MPI_Comm comm, std::string text, int root) {
  return broadcast_as(comm, std::move(text), root, MPI_CHAR);
}

std::vector<int> broadcast(MPI_Comm comm, std::vector<int> values, int root) {
  return broadcast_as(comm, std::move(values), root, MPI_INT);
}

}  // namespace espalier::mpi
