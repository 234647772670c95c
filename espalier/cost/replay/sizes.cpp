// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::cost {

Sizes::Sizes(std::vector<double> of_blocks)
    : num_bytes_(std::accumulate(of_blocks.begin(), of_blocks.end(), 0.0)),
      of_blocks_(std::move(of_blocks)) {
  if (of_blocks_.empty()) {
    throw Error(ErrorCode::argument, "expected the size of at least 1 block, got none");
  }
  for (double const bytes : of_blocks_) {
    if (!(bytes >= 0 && std::isfinite(bytes))) {
      throw Error(
          ErrorCode::argument, "expected blocks of at least 0 bytes, got " + std::to_string(bytes)
      );
    }
  }
}

double
Sizes::of(schedule::RankProgram const& program, std::span<schedule::Slot const> slots) const {
  int const num_labels = program.frame.num_labels();
  if (are_equal()) {
    int const num_blocks = std::max(1, program.frame.num_output_blocks);
    return static_cast<double>(schedule::num_blocks(slots)) * (num_bytes_ / num_blocks);
  }
  auto const num_sizes = static_cast<int>(of_blocks_.size());
  if (num_labels % num_sizes != 0) {
    throw Error(
        ErrorCode::argument,
        "expected the sizes of " + std::to_string(num_labels) + " blocks, got " +
            std::to_string(num_sizes)
    );
  }
  int const num_pieces = num_labels / num_sizes;
  double bytes = 0;
  schedule::for_each_block(program.frame, slots, [&](schedule::Buffer buffer, int block) {
    int const label = program.frame.like(buffer, block);
    bytes += of_blocks_[static_cast<std::size_t>(label / num_pieces)];
  });
  return bytes / num_pieces;
}

}  // namespace espalier::cost
