// SPDX-License-Identifier: Apache-2.0

/// @file
/// Blocks in memory that is compared as a whole afterwards, so that a byte written between or
/// around the blocks shows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "espalier/exec/memory/layout.hpp"

namespace espalier::exec {

using Memory = std::vector<std::byte>;

/// Blocks in guarded memory.
struct Place {
  Layout layout;
  Memory memory;
};

/// Contents of a block, byte by byte.
using Content = std::function<std::byte(int block, std::int64_t byte)>;

/// Memory for all blocks of a layout, without contents.
Place guarded(Layout layout);
/// The same for blocks none of which is there.
Place nothing(int num_blocks, std::int64_t extent_bytes);
/// Where the offsets of a layout count from.
std::byte* address(Memory& memory);

void fill(Place& place, int block, Content const& content);
/// Memory with contents in all blocks that are there.
Place filled(Layout const& layout, Content const& content);

}  // namespace espalier::exec
