// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/array/region.hpp"

#include <cstddef>
#include <limits>
#include <utility>

#include "espalier/base/format.hpp"
#include "espalier/onesided/array/requirement.hpp"

namespace espalier::onesided {
namespace {

/// Blocks of one dimension, of which there is at least one.
struct CheckedInterval {
  std::int64_t first;
  std::int64_t stride;
  std::int64_t count;
};

CheckedInterval checked(BlockInterval const& given, std::int64_t num_blocks, std::size_t dim) {
  require(
      given.stride > 0 || (given.stride == 0 && (given.last == 0 || given.last == given.first)),
      formatted(
          "expected a stride of at least 1 in dimension {}, or 0 for one block, got {} for blocks "
          "{} .. {}",
          dim,
          given.stride,
          given.first,
          given.last
      )
  );
  std::int64_t last = given.last == -1 ? num_blocks - 1 : given.last;
  if (given.stride == 0) {
    last = given.first;
  }
  require(
      given.first >= 0 && given.first <= last && last < num_blocks,
      formatted(
          "expected blocks in 0 .. {} in dimension {}, got {} .. {}",
          num_blocks - 1,
          dim,
          given.first,
          last
      )
  );
  std::int64_t const stride = given.stride == 0 ? 1 : given.stride;
  return {.first = given.first, .stride = stride, .count = (last - given.first) / stride + 1};
}

std::vector<CheckedInterval>
checked(Distribution const& distribution, std::span<BlockInterval const> intervals) {
  require(
      intervals.size() == distribution.dims().size(),
      formatted(
          "expected {} intervals of blocks, one for each dimension, got {}",
          distribution.dims().size(),
          intervals.size()
      )
  );
  std::vector<CheckedInterval> result;
  std::int64_t num_blocks = 1;
  for (std::size_t dim = 0; dim < intervals.size(); ++dim) {
    result.push_back(checked(intervals[dim], distribution.dims()[dim].num_blocks(), dim));
    require(
        result.back().count <= std::numeric_limits<int>::max() / num_blocks,
        formatted("expected a region of at most {} blocks", std::numeric_limits<int>::max())
    );
    num_blocks *= result.back().count;
  }
  return result;
}

}  // namespace

std::vector<BlockPlace>
blocks_of(Distribution const& distribution, std::span<BlockInterval const> intervals) {
  std::vector<CheckedInterval> const all = checked(distribution, intervals);
  std::vector<ArrayIndex> blocks{ArrayIndex{}};
  for (std::size_t dim = 0; dim < all.size(); ++dim) {
    std::vector<ArrayIndex> longer;
    for (ArrayIndex const& before : blocks) {
      for (std::int64_t i = 0; i < all[dim].count; ++i) {
        longer.push_back(before);
        longer.back()[dim] = all[dim].first + i * all[dim].stride;
      }
    }
    blocks = std::move(longer);
  }
  std::vector<BlockPlace> places;
  places.reserve(blocks.size());
  for (ArrayIndex const& block : blocks) {
    places.push_back(distribution.block_place(block));
  }
  return places;
}

}  // namespace espalier::onesided
