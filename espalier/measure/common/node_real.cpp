// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <sched.h>

#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/node.hpp"
#include "espalier/measure/common/own_collectives.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

using CpuBits = std::array<std::uint64_t, CPU_SETSIZE / 64>;

CpuBits allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  CpuBits bits{};
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) {
      bits[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
    }
  }
  return bits;
}

/// Processors that at least one rank of the node may use.
int cpus_of_node(MPI_Comm node) {
  CpuBits bits = allowed_cpus();
  combine_for_all(bits.data(), static_cast<int>(bits.size()), MPI_UINT64_T, MPI_BOR, node);
  return std::accumulate(bits.begin(), bits.end(), 0, [](int sum, std::uint64_t word) {
    return sum + std::popcount(word);
  });
}

}  // namespace

Node describe_node(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  MPI_Comm shared = MPI_COMM_NULL;
  mpi::require_success(
      PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared),
      "MPI_Comm_split_type"
  );
  Node node{.first_rank = rank, .num_ranks = 1, .num_cpus = cpus_of_node(shared)};
  PMPI_Comm_size(shared, &node.num_ranks);
  broadcast(&node.first_rank, sizeof node.first_rank, 0, shared);
  PMPI_Comm_free(&shared);
  return node;
}

}  // namespace espalier::measure
