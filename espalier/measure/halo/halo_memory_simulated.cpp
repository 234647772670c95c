// SPDX-License-Identifier: Apache-2.0

#include <new>

#include <mpi.h>

#include "espalier/measure/halo/halo_memory.hpp"

namespace espalier::measure {
namespace {

constexpr std::size_t most_own_bytes = 64U << 10U;

}  // namespace

HaloMemory::HaloMemory(std::size_t num_floats, std::size_t most_floats)
    : num_floats_(num_floats), holds_values_(2 * num_floats * sizeof(float) <= most_own_bytes),
      floats_(nullptr, [](float*) {}) {
  if (holds_values_) {
    floats_ = {new float[2 * num_floats]{}, [](float* floats) { delete[] floats; }};
    return;
  }
  void* const shared = SMPI_SHARED_MALLOC(most_floats * sizeof(float));
  if (shared == nullptr) {
    throw std::bad_alloc();
  }
  floats_ = {static_cast<float*>(shared), [](float* floats) { SMPI_SHARED_FREE(floats); }};
}

}  // namespace espalier::measure
