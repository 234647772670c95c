// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/onesided/array/distribution.hpp"

namespace espalier::onesided {

/// Blocks of one dimension: first, first + stride, ... up to last. With stride 0 the first alone,
/// and last -1 is the last one of the array.
struct BlockInterval {
  std::int64_t first = 0;
  std::int64_t stride = 0;
  std::int64_t last = 0;
};

/// Where the blocks of a region are: all combinations of an interval for each dimension, in
/// row-major order, which is their number in collectives. Pure.
/// @throws Error argument for blocks that the array does not have.
[[nodiscard]] std::vector<BlockPlace>
blocks_of(Distribution const& distribution, std::span<BlockInterval const> intervals);

}  // namespace espalier::onesided
