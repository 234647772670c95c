// SPDX-License-Identifier: Apache-2.0

#include "espalier/simulation/hops.hpp"

#include <cstddef>

namespace espalier::simulation {

std::vector<Hop> hops(machine::Torus const& torus, int source, int target) {
  std::vector<Hop> found;
  int node = source;
  int stride = 1;
  for (std::size_t d = 0; d < torus.extents.size(); ++d) {
    int const extent = torus.extents[d];
    int here = source / stride % extent;
    int const there = target / stride % extent;
    int const upwards = (there - here + extent) % extent;
    bool const is_up = upwards <= extent - upwards;
    for (; here != there; here = (here + (is_up ? 1 : extent - 1)) % extent) {
      found.push_back({.node = node, .dimension = static_cast<int>(d), .is_up = is_up});
      int const next = (here + (is_up ? 1 : extent - 1)) % extent;
      node += (next - here) * stride;
    }
    stride *= extent;
  }
  return found;
}

}  // namespace espalier::simulation
