// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/job.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <sched.h>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/measure/clock.hpp"
#include "espalier/measure/own_collectives.hpp"

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

int reduce(Job const& job, int value, MPI_Op op) {
  combine_for_all(&value, 1, MPI_INT, op, job.comm);
  return value;
}

void describe_nodes(Job& job) {
  MPI_Comm node = MPI_COMM_NULL;
  check(
      PMPI_Comm_split_type(job.comm, MPI_COMM_TYPE_SHARED, job.rank, MPI_INFO_NULL, &node),
      "MPI_Comm_split_type"
  );
  int node_rank = 0;
  int node_ranks = 1;
  PMPI_Comm_rank(node, &node_rank);
  PMPI_Comm_size(node, &node_ranks);
  job.node = job.rank;
  spread(&job.node, sizeof job.node, 0, node);
  job.num_nodes = reduce(job, node_rank == 0 ? 1 : 0, MPI_SUM);
  job.max_ranks_per_node = reduce(job, node_ranks, MPI_MAX);
  // A simulated rank has its core to itself.
  int const cpus = is_simulated() ? node_ranks : cpus_of_node(node);
  job.min_cpus_per_node = reduce(job, cpus, MPI_MIN);
  PMPI_Comm_free(&node);
}

std::string ask_library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(PMPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  std::string version(text.data());
  version.resize(std::min(version.find('\n'), version.size()));
  std::ranges::replace(version, '\t', ' ');
  return version;
}

}  // namespace

Job Job::describe() {
  Job job;
  check(PMPI_Comm_dup(MPI_COMM_WORLD, &job.comm), "MPI_Comm_dup");
  PMPI_Comm_set_errhandler(job.comm, MPI_ERRORS_RETURN);
  PMPI_Comm_rank(job.comm, &job.rank);
  PMPI_Comm_size(job.comm, &job.num_ranks);
  describe_nodes(job);
  job.library_version = ask_library_version();
  return job;
}

int from_rank_0(Job const& job, int value) {
  spread(&value, sizeof value, 0, job.comm);
  return value;
}

namespace {

std::string from_rank(Job const& job, std::string text, int root) {
  std::size_t length = text.size();
  spread(&length, sizeof length, root, job.comm);
  text.resize(length);
  spread(text.data(), length, root, job.comm);
  return text;
}

}  // namespace

std::string from_rank_0(Job const& job, std::string text) {
  return from_rank(job, std::move(text), 0);
}

std::vector<int> nodes_of_ranks(Job const& job) {
  std::vector<int> nodes(static_cast<std::size_t>(job.num_ranks), -1);
  nodes[static_cast<std::size_t>(job.rank)] = job.node;
  combine_for_all(nodes.data(), job.num_ranks, MPI_INT, MPI_MAX, job.comm);
  return nodes;
}

std::string first_complaint(Job const& job, std::string const& text) {
  int const complaining = text.empty() ? job.num_ranks : job.rank;
  int const first = reduce(job, complaining, MPI_MIN);
  if (first == job.num_ranks) {
    return {};
  }
  return "rank " + std::to_string(first) + ": " + from_rank(job, text, first);
}

void check(int code, char const* function) {
  if (code == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  throw Error(ErrorCode::mpi, std::string(function) + " failed: " + text.data());
}

}  // namespace espalier::measure
