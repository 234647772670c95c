// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include <mpi.h>

#include "espalier/plan/devices/device_memory.hpp"
#include "espalier/plan/devices/spans.hpp"

namespace espalier::capi {

/// What the ranks of a communicator know of buffers that the processor must not touch.
class DeviceBuffers {
public:
  /// No rank has any.
  DeviceBuffers() = default;

  /// Looks for the runtimes of this process, and asks whether another one has some. Collective.
  /// @throws Error mpi.
  [[nodiscard]] static DeviceBuffers among(MPI_Comm comm);

  /// Whether some rank has a runtime. Local, and the same on all ranks.
  [[nodiscard]] bool are_possible() const noexcept { return are_possible_; }

  /// Whether one of these spans of some rank begins in such memory; the same on all ranks.
  /// Collective.
  /// @throws Error mpi.
  [[nodiscard]] bool hold_any(std::span<plan::Span const> spans, MPI_Comm comm) const;

private:
  plan::DeviceMemory memory_;
  bool are_possible_ = false;
};

/// Whether one of these spans begins in memory that the processor must not touch. Local.
[[nodiscard]] bool
is_any_in(plan::DeviceMemory const& memory, std::span<plan::Span const> spans) noexcept;

/// What is said of an algorithm that then cannot serve.
inline constexpr char const* in_device_memory = "some rank has its buffer in device memory";

}  // namespace espalier::capi
