// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/start_barrier.hpp"

namespace espalier::measure {

int start_barrier(MPI_Comm comm) noexcept {
  return disseminating_barrier(comm);
}

}  // namespace espalier::measure
