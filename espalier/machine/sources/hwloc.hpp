// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "espalier/machine/sources/node_tree.hpp"

namespace espalier::machine {

/// Whether hwloc can be asked: this build can open libhwloc, and this machine has it. If not, the
/// functions below throw Error unsupported.
[[nodiscard]] bool has_hwloc() noexcept;

/// The node that hwloc XML (`lstopo --of xml`) describes.
///
/// Processors that a cgroup withholds are left out and counted. Memory without processors does not
/// make a NUMA object; of several memories with the same processors (HBM beside DRAM) the first
/// does, and of nested ones the smallest.
/// @param origin named in complaints: the path of the file.
/// @throws Error format if it is not hwloc XML, or has no processor.
[[nodiscard]] NodeTree read_hwloc_xml(std::string_view xml, std::string_view origin = "hwloc XML");

/// The node this process runs on.
/// @throws Error io if hwloc cannot read it.
[[nodiscard]] NodeTree read_hwloc_here();

}  // namespace espalier::machine
