// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/job_line.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "espalier/measure/common/clock.hpp"

namespace espalier::measure {

nlohmann::ordered_json job_line(Job const& job, char const* schema, double clock_resolution_us) {
  nlohmann::ordered_json line = {
      {"kind", "header"},
      {"schema", schema},
      {"version", 1},
      {"num_ranks", job.num_ranks},
      {"num_nodes", job.num_nodes},
      {"max_ranks_per_node", job.max_ranks_per_node},
      {"min_cpus_per_node", job.min_cpus_per_node},
      {"mpi", {{"vendor", ESPALIER_MPI_VENDOR}, {"version", job.library_version}}},
      {"clock_resolution_us", to_nanoseconds(clock_resolution_us)},
      {"is_simulated", is_simulated()},
  };
  if (job.num_nodes > 1 && !job.node_of_rank.empty()) {
    line["node_of_rank"] = job.node_of_rank;
  }
  return line;
}

double to_nanoseconds(double time_us) noexcept {
  return std::round(time_us * 1000.0) / 1000.0;
}

nlohmann::ordered_json to_nanoseconds(std::span<double const> times_us) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (double const time_us : times_us) {
    values.push_back(to_nanoseconds(time_us));
  }
  return values;
}

}  // namespace espalier::measure
