// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/segment_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::schedule {
namespace {

std::vector<int> labels_in_segments(std::vector<int> const& like, int num_segments) {
  std::vector<int> result;
  result.reserve(like.size() * static_cast<std::size_t>(num_segments));
  for (int const block : like) {
    for (int s = 0; s < num_segments; ++s) {
      result.push_back(block * num_segments + s);
    }
  }
  return result;
}

}  // namespace

Frame frame_in_segments(Frame const& frame, int num_segments) {
  return {
      .num_ranks = frame.num_ranks,
      .num_output_blocks = frame.num_output_blocks * num_segments,
      .input_like = labels_in_segments(frame.input_like, num_segments),
      .scratch_like = labels_in_segments(frame.scratch_like, num_segments),
  };
}

Slot slot_of_segment(Slot slot, int buffer_size, int num_segments, int segment) noexcept {
  slot.first = slot.first * num_segments + segment;
  slot.stride = slot.num_blocks == 1 ? 1 : slot.stride * num_segments;
  slot.stride = wrap(slot.stride, buffer_size * num_segments);
  return slot;
}

Slot remote_slot_of_segment(Slot slot, int num_segments, int segment) noexcept {
  slot.first = slot.first * num_segments + segment;
  slot.stride *= num_segments;
  return slot;
}

void require_countable(RankProgram const& program, int num_segments) {
  Frame const& frame = program.frame;
  std::size_t const most = std::max({
      static_cast<std::size_t>(frame.num_output_blocks),
      frame.input_like.size(),
      frame.scratch_like.size(),
      program.operations.size(),
  });
  int const limit =
      std::numeric_limits<int>::max() / static_cast<int>(std::max<std::size_t>(most, 1));
  if (num_segments > limit) {
    throw Error(
        ErrorCode::argument,
        "num_segments must be at most " + std::to_string(limit) + " for this program, got " +
            std::to_string(num_segments)
    );
  }
}

}  // namespace espalier::schedule
