// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <simgrid/actor.h>
#include <simgrid/host.h>

#include "espalier/measure/probe/surroundings.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure::probe {
namespace {

/// The same in every run and in every rank, which std::hash does not promise (FNV-1a).
std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 14695981039346656037U;
  for (char const letter : text) {
    number = (number ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  }
  return number;
}

/// Where a host is one core of a node, the platform says so by the property `node`.
std::string_view name_of_node() {
  sg_host_t const host = sg_host_self();
  char const* const node = sg_host_get_property_value(host, "node");
  return node != nullptr ? node : sg_host_get_name(host);
}

}  // namespace

// Reading the clock takes as long as the simulator's option smpi/wtime says.
double clock_reading_us() noexcept {
  double const start = now_us();
  return now_us() - start;
}

void stay_away_us(double duration_us) noexcept {
  sg_actor_sleep_for(duration_us * 1e-6);
}

// Each rank has a processor of its own, and polling would be simulated, too: the receive waits.
void wait_quietly(MPI_Comm /*comm*/, int /*source*/, int /*tag*/) {}

int lowest_rank_of_node(Job const& job) {
  std::uint64_t const mine = number_of(name_of_node());
  std::vector<std::uint64_t> all(static_cast<std::size_t>(job.num_ranks));
  mpi::require_success(
      PMPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, job.comm), "MPI_Allgather"
  );
  return static_cast<int>(std::ranges::find(all, mine) - all.begin());
}

std::string host_name() {
  return std::string(name_of_node());
}

std::string kernel_id() {
  return {};
}

std::string job_view(Job const& /*job*/) {
  return {};
}

std::vector<int> allowed_cpus() {
  return {};
}

int num_online_cpus() noexcept {
  return 0;
}

}  // namespace espalier::measure::probe
