// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/trees/postal.hpp"

namespace espalier::algorithms {

std::vector<std::string> postal_variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"[latency=4]", "[latency=8]"};
  }
  return request.num_ranks > 4 ? std::vector<std::string>{"[latency=2]", "[latency=4]"}
                               : std::vector<std::string>{"[latency=2]"};
}

}  // namespace espalier::algorithms
