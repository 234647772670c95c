// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <limits>
#include <sched.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "espalier/base/json_text.hpp"
#include "espalier/machine/job/job_view.hpp"
#include "espalier/machine/job/mpi_discovery.hpp"
#include "espalier/machine/sources/environment.hpp"
#include "espalier/machine/sources/occupancy.hpp"
#include "espalier/measure/probe/surroundings.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure::probe {
namespace {

/// Mask of any length: systems with more processors than CPU_SETSIZE refuse a shorter one.
class CpuMask {
public:
  explicit CpuMask(int num_cpus)
      : set_(CPU_ALLOC(static_cast<std::size_t>(num_cpus))),
        bytes_(CPU_ALLOC_SIZE(static_cast<std::size_t>(num_cpus))), num_cpus_(num_cpus) {}

  CpuMask(CpuMask const&) = delete;
  CpuMask& operator=(CpuMask const&) = delete;
  CpuMask(CpuMask&&) = delete;
  CpuMask& operator=(CpuMask&&) = delete;

  ~CpuMask() { CPU_FREE(set_); }

  bool ask() {
    CPU_ZERO_S(bytes_, set_);
    return sched_getaffinity(0, bytes_, set_) == 0;
  }

  [[nodiscard]] std::vector<int> cpus() const {
    std::vector<int> found;
    for (int cpu = 0; cpu < num_cpus_; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes_, set_)) {
        found.push_back(cpu);
      }
    }
    return found;
  }

private:
  cpu_set_t* set_;
  std::size_t bytes_;
  int num_cpus_;
};

void sleep_us(double duration_us) {
  timespec const duration{.tv_sec = 0, .tv_nsec = static_cast<long>(duration_us * 1000.0)};
  nanosleep(&duration, nullptr);
}

}  // namespace

/// Of the shortest of several rounds: in others the processor may have worked for somebody else.
double clock_reading_us() noexcept {
  constexpr int num_rounds = 10;
  constexpr int num_readings = 100;
  double shortest_us = std::numeric_limits<double>::infinity();
  for (int round = 0; round < num_rounds; ++round) {
    double const start = now_us();
    double last = start;
    for (int i = 0; i < num_readings; ++i) {
      last = now_us();
    }
    shortest_us = std::min(shortest_us, last - start);
  }
  return shortest_us / num_readings;
}

void stay_away_us(double duration_us) noexcept {
  double const start = now_us();
  while (now_us() - start < duration_us) {
  }
}

void wait_quietly(MPI_Comm comm, int source, int tag) {
  constexpr double shortest_us = 5.0;
  constexpr double longest_us = 1000.0;
  constexpr double share_of_waiting = 0.1;
  double const start = now_us();
  while (true) {
    int has_come = 0;
    mpi::require_success(
        PMPI_Iprobe(source, tag, comm, &has_come, MPI_STATUS_IGNORE), "MPI_Iprobe"
    );
    if (has_come != 0) {
      return;
    }
    double const waited = now_us() - start;
    sleep_us(std::clamp(waited * share_of_waiting, shortest_us, longest_us));
  }
}

int lowest_rank_of_node(Job const& job) {
  MPI_Comm node = MPI_COMM_NULL;
  mpi::require_success(
      PMPI_Comm_split_type(job.comm, MPI_COMM_TYPE_SHARED, job.rank, MPI_INFO_NULL, &node),
      "MPI_Comm_split_type"
  );
  int lowest = job.rank;
  int const code = PMPI_Bcast(&lowest, 1, MPI_INT, 0, node);
  PMPI_Comm_free(&node);
  mpi::require_success(code, "MPI_Bcast");
  return lowest;
}

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  mpi::require_success(PMPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return name.data();
}

std::string kernel_id() {
  return machine::kernel_id();
}

std::string job_view(Job const& job) {
  auto const here = machine::Surroundings::here(machine::environment_of(environ));
  return json_text(machine::to_json(machine::observe(job.comm, here)));
}

std::vector<int> allowed_cpus() {
  constexpr int most_cpus = 1 << 20;
  for (int num_cpus = 1024; num_cpus <= most_cpus; num_cpus *= 2) {
    CpuMask mask(num_cpus);
    if (mask.ask()) {
      return mask.cpus();
    }
  }
  return {};
}

int num_online_cpus() noexcept {
  return static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 0L));
}

}  // namespace espalier::measure::probe
