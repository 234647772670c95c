// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/node/mpi_shared_memory.hpp"

#include <sched.h>
#include <vector>

#include "espalier/exec/node/waiting.hpp"
#include "espalier/machine/sources/cgroup.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::exec::node {
namespace {

using mpi::require_success;

struct Place {
  int rank = 0;
  int num_ranks = 0;
};

Place place_in(MPI_Comm comm) {
  Place place;
  require_success(PMPI_Comm_rank(comm, &place.rank), "MPI_Comm_rank");
  require_success(PMPI_Comm_size(comm, &place.num_ranks), "MPI_Comm_size");
  return place;
}

}  // namespace

bool is_true_on_all(MPI_Comm comm, bool is_true) {
  int value = is_true ? 1 : 0;
  require_success(PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return value != 0;
}

std::optional<SharedMemory> share_memory(MPI_Comm local, std::size_t num_bytes, OwnBytes own) {
  int const rank = place_in(local).rank;
  std::optional<SharedMemory> memory;
  SharedMemory::Address address;
  if (rank == 0) {
    memory = SharedMemory::create(num_bytes);
    address = memory ? memory->address() : address;
  }
  require_success(
      PMPI_Bcast(&address, static_cast<int>(sizeof address), MPI_BYTE, 0, local), "MPI_Bcast"
  );
  if (rank != 0) {
    memory = SharedMemory::open(num_bytes, address);
  }
  bool const is_there = memory && memory->back(own.begin, own.num_bytes);
  if (!is_true_on_all(local, is_there)) {
    return std::nullopt;
  }
  memory->close_file();
  return memory;
}

bool share_processors(MPI_Comm local) {
  auto const [rank, num_ranks] = place_in(local);
  cpu_set_t own{};
  if (sched_getaffinity(0, sizeof own, &own) != 0) {
    CPU_ZERO(&own);  // More processors than the set has room for: nobody shares one.
    CPU_SET(static_cast<std::size_t>(rank) % CPU_SETSIZE, &own);
  }
  std::vector<cpu_set_t> may_use(static_cast<std::size_t>(num_ranks));
  constexpr int set_bytes = sizeof(cpu_set_t);
  require_success(
      PMPI_Allgather(&own, set_bytes, MPI_BYTE, may_use.data(), set_bytes, MPI_BYTE, local),
      "MPI_Allgather"
  );
  return shares_processors(may_use, machine::read_cpu_quota());
}

}  // namespace espalier::exec::node
