// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <sys/types.h>

namespace espalier::exec::node {

/// Copies from the memory of another process.
/// @return false if not all of it can be read: no permission, or it is not the memory of a program
[[nodiscard]] bool
read_memory(pid_t process, void const* from, void* to, std::size_t num_bytes) noexcept;

}  // namespace espalier::exec::node
