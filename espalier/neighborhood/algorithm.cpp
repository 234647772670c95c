// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/algorithm.hpp"

namespace espalier::neighborhood {

std::string_view to_string(Collective collective) noexcept {
  return collective == Collective::neighbor_alltoall ? "neighbor_alltoall" : "neighbor_allgather";
}

}  // namespace espalier::neighborhood
