// SPDX-License-Identifier: Apache-2.0

/// @file
/// Blocks that are cut into segments: block b becomes b n, b n + 1, ... b n + n - 1 for n segments.

#pragma once

#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// The frame of a program whose blocks are cut.
[[nodiscard]] Frame frame_in_segments(Frame const& frame, int num_segments);

/// The blocks of a slot that belong to one segment.
[[nodiscard]] Slot
slot_of_segment(Slot slot, int buffer_size, int num_segments, int segment) noexcept;

/// The same in the memory of a peer, where slots do not wrap.
[[nodiscard]] Slot remote_slot_of_segment(Slot slot, int num_segments, int segment) noexcept;

/// Blocks and operations of the result are numbered by int.
/// @throws Error argument if there are too many segments for that.
void require_countable(RankProgram const& program, int num_segments);

}  // namespace espalier::schedule
