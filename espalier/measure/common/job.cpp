// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/job.hpp"

#include <algorithm>
#include <utility>

#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/node.hpp"
#include "espalier/measure/common/own_collectives.hpp"
#include "espalier/mpi/library_version.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

int reduce(Job const& job, int value, MPI_Op op) {
  combine_for_all(&value, 1, MPI_INT, op, job.comm);
  return value;
}

void describe_nodes(Job& job) {
  Node const node = describe_node(job.comm);
  job.node = node.first_rank;
  job.num_nodes = reduce(job, job.node == job.rank ? 1 : 0, MPI_SUM);
  job.max_ranks_per_node = reduce(job, node.num_ranks, MPI_MAX);
  job.min_cpus_per_node = reduce(job, node.num_cpus, MPI_MIN);
}

std::string ask_library_version() {
  std::string version = mpi::library_version();
  version.resize(std::min(version.find('\n'), version.size()));
  std::ranges::replace(version, '\t', ' ');
  return version;
}

}  // namespace

Job Job::describe() {
  MPI_Comm comm = MPI_COMM_WORLD;
  if (!is_simulated()) {
    mpi::require_success(PMPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
  }
  return of(comm);
}

Job Job::of(MPI_Comm comm) {
  Job job{.comm = comm};
  PMPI_Comm_set_errhandler(job.comm, MPI_ERRORS_RETURN);
  PMPI_Comm_rank(job.comm, &job.rank);
  PMPI_Comm_size(job.comm, &job.num_ranks);
  describe_nodes(job);
  if (!is_simulated()) {
    job.node_of_rank = nodes_of_ranks(job);
  }
  job.library_version = ask_library_version();
  return job;
}

void Job::finish() noexcept {
  if (comm != MPI_COMM_WORLD) {
    PMPI_Comm_free(&comm);
  }
}

int from_rank_0(Job const& job, int value) {
  broadcast(&value, sizeof value, 0, job.comm);
  return value;
}

namespace {

std::string from_rank(Job const& job, std::string text, int root) {
  std::size_t length = text.size();
  broadcast(&length, sizeof length, root, job.comm);
  text.resize(length);
  broadcast(text.data(), length, root, job.comm);
  return text;
}

}  // namespace

std::string from_rank_0(Job const& job, std::string text) {
  return from_rank(job, std::move(text), 0);
}

bool is_time_left(Job const& job, double seconds_left) {
  return from_rank_0(job, seconds_left > 0.0 ? 1 : 0) != 0;
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

}  // namespace espalier::measure
