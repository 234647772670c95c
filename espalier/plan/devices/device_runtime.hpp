// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>

namespace espalier::plan {

/// The runtime of a kind of accelerator, as this process has it.
class DeviceRuntime {
public:
  DeviceRuntime() = default;
  DeviceRuntime(DeviceRuntime const&) = delete;
  DeviceRuntime& operator=(DeviceRuntime const&) = delete;
  DeviceRuntime(DeviceRuntime&&) = delete;
  DeviceRuntime& operator=(DeviceRuntime&&) = delete;
  virtual ~DeviceRuntime() = default;

  /// True if the processor must not touch this address. Managed memory is not meant: it may.
  [[nodiscard]] virtual bool holds(void const* address) const noexcept = 0;

  /// From or to an address that it holds, complete on return.
  /// @throws Error unsupported: the runtime says that it cannot.
  virtual void copy(void* to, void const* from, std::size_t num_bytes) const = 0;
};

/// Null if the process does not have it. Local.
[[nodiscard]] std::shared_ptr<DeviceRuntime const> cuda_runtime();
[[nodiscard]] std::shared_ptr<DeviceRuntime const> hip_runtime();
[[nodiscard]] std::shared_ptr<DeviceRuntime const> level_zero_runtime();

}  // namespace espalier::plan
