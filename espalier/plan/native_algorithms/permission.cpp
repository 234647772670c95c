// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/native_algorithms/permission.hpp"

#include <cstdlib>
#include <string_view>

namespace espalier::plan {

void permit_native_algorithms() noexcept {
  if (std::string_view(ESPALIER_MPI_VENDOR) == "openmpi") {
    constexpr int keeps_what_is_there = 0;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the program has no other thread yet.
    setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", keeps_what_is_there);
  }
}

}  // namespace espalier::plan
