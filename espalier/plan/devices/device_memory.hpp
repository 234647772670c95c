// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "espalier/plan/devices/device_runtime.hpp"

namespace espalier::plan {

/// The memory of all accelerators that this process can use.
class DeviceMemory {
public:
  /// None.
  DeviceMemory() = default;

  /// Local, after MPI_Init: an MPI library that accepts device memory has the runtime by then.
  [[nodiscard]] static DeviceMemory of_process() {
    DeviceMemory found;
    for (auto const& runtime : {cuda_runtime(), hip_runtime(), level_zero_runtime()}) {
      if (runtime != nullptr) {
        found.runtimes_.push_back(runtime);
      }
    }
    return found;
  }

  [[nodiscard]] bool is_present() const noexcept { return !runtimes_.empty(); }

  /// What holds an address; null if the processor may touch it.
  [[nodiscard]] DeviceRuntime const* holder(void const* address) const noexcept {
    auto const found =
        std::ranges::find_if(runtimes_, [&](auto const& one) { return one->holds(address); });
    return found == runtimes_.end() ? nullptr : found->get();
  }

private:
  std::vector<std::shared_ptr<DeviceRuntime const>> runtimes_;
};

}  // namespace espalier::plan
