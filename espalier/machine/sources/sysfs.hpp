// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

#include "espalier/machine/sources/node_tree.hpp"

namespace espalier::machine {

/// The node as a Linux kernel describes it in /sys: packages, NUMA nodes, third level caches and
/// cores of the processors that are online. Those that a cgroup withholds are left out and counted.
/// @param root stands for `/`.
/// @throws Error io if no processor is described there; format if a file is not what it should be.
[[nodiscard]] NodeTree read_sysfs(std::filesystem::path const& root = "/");

}  // namespace espalier::machine
