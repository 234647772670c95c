// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/halo/halo_memory.hpp"

namespace espalier::measure {

// Values are written at once: no page is touched for the first time while time is taken.
HaloMemory::HaloMemory(std::size_t num_floats, std::size_t /*most_floats*/)
    : num_floats_(num_floats), holds_values_(true),
      floats_(new float[2 * num_floats]{}, [](float* floats) { delete[] floats; }) {}

}  // namespace espalier::measure
