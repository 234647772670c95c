// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/node.hpp"
#include "espalier/measure/common/own_collectives.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {

/// From names, not from MPI_Comm_split_type: that would broadcast in communicators of a node, and
/// after such a broadcast what stands for Intel MPI in the simulator mixes up messages.
Node describe_node(MPI_Comm comm) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  mpi::require_success(PMPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  int rank = 0;
  int num_ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &num_ranks);
  std::vector<std::uint64_t> hosts(static_cast<std::size_t>(num_ranks));
  std::uint64_t const own =
      std::hash<std::string_view>{}({name.data(), static_cast<std::size_t>(length)});
  hosts[static_cast<std::size_t>(rank)] = own;
  combine_for_all(hosts.data(), num_ranks, MPI_UINT64_T, MPI_BOR, comm);
  auto const first = std::ranges::find(hosts, own) - hosts.begin();
  auto const count = static_cast<int>(std::ranges::count(hosts, own));
  // A simulated rank has its core to itself.
  return {.first_rank = static_cast<int>(first), .num_ranks = count, .num_cpus = count};
}

}  // namespace espalier::measure
