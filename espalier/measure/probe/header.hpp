// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "espalier/measure/common/job.hpp"

namespace espalier::measure::probe {

/// Collective over the job: the first line of the file `espalier-probe-samples`, which says where
/// every rank runs.
/// @return the line on rank 0, nothing elsewhere.
/// @throws Error mpi
[[nodiscard]] std::string header_line(Job const& job);

}  // namespace espalier::measure::probe
