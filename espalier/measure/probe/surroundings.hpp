// SPDX-License-Identifier: Apache-2.0

/// @file
/// What differs between a real machine and a simulated one: waiting, and what a rank can know of
/// the place where it runs. `surroundings_real.cpp` or `surroundings_simulated.cpp` is linked.

#pragma once

#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/job.hpp"

namespace espalier::measure::probe {

/// What two readings with nothing between them differ by.
[[nodiscard]] double clock_reading_us() noexcept;

/// Lets time pass without calls of MPI, so that nothing makes progress on this rank.
void stay_away_us(double duration_us) noexcept;

/// Returns when a message can be received, or when waiting in a receive disturbs nobody. The rank
/// leaves its processor to others meanwhile: on a node with more ranks than processors those that
/// do nothing must not disturb those that measure.
/// @throws Error mpi
void wait_quietly(MPI_Comm comm, int source, int tag);

/// Collective over the job: lowest rank of those that share memory with this one.
/// @throws Error mpi
[[nodiscard]] int lowest_rank_of_node(Job const& job);

/// Name of the host, as MPI says.
/// @throws Error mpi
[[nodiscard]] std::string host_name();

/// What tells the running operating system from all others, those of other hosts with the same name
/// among them; empty when that is not known. Containers of one host have it in common.
[[nodiscard]] std::string kernel_id();

/// Collective over the job: text of what all ranks see of their nodes, an `espalier-job-view`;
/// empty when simulated.
/// @throws Error mpi
[[nodiscard]] std::string job_view(Job const& job);

/// Processors this rank may use, ascending; none when that is not known.
[[nodiscard]] std::vector<int> allowed_cpus();

/// Processors of the node that are online; 0 when not known.
[[nodiscard]] int num_online_cpus() noexcept;

}  // namespace espalier::measure::probe
