// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include "espalier/measure/common/clock.hpp"

namespace espalier::measure {

Clock::time_point Clock::now() noexcept {
  return time_point(duration(PMPI_Wtime()));
}

bool is_simulated() noexcept {
  return true;
}

double clock_resolution_us() noexcept {
  return 0;
}

}  // namespace espalier::measure
