// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/header.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <numeric>
#include <vector>

#include <nlohmann/json.hpp>

#include <mpi.h>

#include "espalier/base/json_text.hpp"
#include "espalier/measure/probe/core_speed.hpp"
#include "espalier/measure/probe/cpu_list.hpp"
#include "espalier/measure/probe/surroundings.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure::probe {
namespace {

using Json = nlohmann::ordered_json;

/// What launchers tell their ranks about places. Named one by one: environments also hold keys
/// that are nobody's business.
constexpr std::array launcher_variables{
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "OMPI_COMM_WORLD_NODE_RANK",
    "OMPI_MCA_btl",
    "OMPI_MCA_hwloc_base_binding_policy",
    "OMPI_MCA_mtl",
    "OMPI_MCA_pml",
    "OMPI_MCA_rmaps_base_mapping_policy",
    "OMPI_MCA_rmaps_base_oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy",
    "PRTE_MCA_rmaps_default_mapping_policy",
    "PMIX_HOSTNAME",
    "PMIX_RANK",
    "PMI_LOCAL_RANK",
    "PMI_LOCAL_SIZE",
    "PMI_RANK",
    "PMI_SIZE",
    "MPI_LOCALNRANKS",
    "MPI_LOCALRANKID",
    "I_MPI_PIN",
    "I_MPI_PIN_DOMAIN",
    "SLURMD_NODENAME",
    "SLURM_CPUS_PER_TASK",
    "SLURM_CPU_BIND",
    "SLURM_DISTRIBUTION",
    "SLURM_JOB_CPUS_PER_NODE",
    "SLURM_JOB_NODELIST",
    "SLURM_JOB_NUM_NODES",
    "SLURM_LOCALID",
    "SLURM_NODEID",
    "SLURM_NTASKS",
    "SLURM_PROCID",
    "SLURM_TASKS_PER_NODE",
    "SLURM_TOPOLOGY_ADDR",
    "SLURM_TOPOLOGY_ADDR_PATTERN",
};

Json launcher_environment() {
  constexpr std::size_t longest = 256;
  Json environment = Json::object();
  for (char const* const name : launcher_variables) {
    // Nothing in this program changes the environment while it is read.
    // NOLINTNEXTLINE(concurrency-mt-unsafe)
    if (char const* const value = std::getenv(name)) {
      environment[name] = std::string(value).substr(0, longest);
    }
  }
  return environment;
}

/// Text of this rank's entry; `node` is still the lowest rank of the node.
std::string describe_rank(Job const& job) {
  std::vector<int> const cpus = allowed_cpus();
  int const online = num_online_cpus();
  Json const entry{
      {"rank", job.rank},
      {"host", host_name()},
      {"kernel", kernel_id()},
      {"node", lowest_rank_of_node(job)},
      {"cpus", cpu_list(cpus)},
      {"bound", !cpus.empty() && static_cast<int>(cpus.size()) < online},
      {"online", online},
      {"environment", launcher_environment()},
  };
  return json_text(entry);
}

/// Texts of all ranks on rank 0.
std::vector<std::string> gather(Job const& job, std::string const& text) {
  auto const num_ranks = static_cast<std::size_t>(job.num_ranks);
  int const length = static_cast<int>(text.size());
  std::vector<int> lengths(num_ranks);
  mpi::require_success(
      PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, job.comm), "MPI_Gather"
  );
  std::vector<int> starts(num_ranks);
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  std::string all(static_cast<std::size_t>(starts.back() + lengths.back()), ' ');
  int const code = PMPI_Gatherv(
      text.data(),
      length,
      MPI_CHAR,
      all.data(),
      lengths.data(),
      starts.data(),
      MPI_CHAR,
      0,
      job.comm
  );
  mpi::require_success(code, "MPI_Gatherv");
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < num_ranks; ++rank) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(starts[rank]), static_cast<std::size_t>(lengths[rank]))
    );
  }
  return texts;
}

/// Entries of all ranks, nodes counted from 0 in the order of their lowest ranks.
Json entries(std::vector<std::string> const& texts) {
  Json ranks = Json::array();
  std::map<int, int> number_of_node;
  for (std::string const& text : texts) {
    Json entry = parse_ordered_json(text);
    int const next = static_cast<int>(number_of_node.size());
    entry["node"] = number_of_node.try_emplace(entry["node"].get<int>(), next).first->second;
    ranks.push_back(std::move(entry));
  }
  return ranks;
}

/// What this rank's core does while the others wait; null where computing takes no time.
Json cores() {
  if (is_simulated()) {
    return nullptr;
  }
  CoreSpeed const speed = measure_core_speed();
  return {
      {"combine_bytes_per_s", std::round(speed.combined)},
      {"copy_bytes_per_s", std::round(speed.copied)},
  };
}

}  // namespace

std::string header_line(Job const& job) {
  std::vector<std::string> const texts = gather(job, describe_rank(job));
  std::string const view = job_view(job);
  if (job.rank != 0) {
    return {};
  }
  Json const line{
      {"kind", "header"},
      {"schema", "espalier-probe-samples"},
      {"version", 1},
      {"num_ranks", job.num_ranks},
      {"mpi", {{"vendor", ESPALIER_MPI_VENDOR}, {"version", job.library_version}}},
      {"clock_resolution_us", std::round(clock_resolution_us() * 1e3) / 1e3},
      {"is_simulated", is_simulated()},
      {"cores", cores()},
      {"ranks", entries(texts)},
      {"job", view.empty() ? Json() : parse_ordered_json(view)},
  };
  return json_text(line);
}

}  // namespace espalier::measure::probe
