// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "espalier/exec/node/flow.hpp"

namespace espalier::exec::node {

using Flag = std::atomic<std::uint32_t>;

static_assert(Flag::is_always_lock_free && sizeof(Flag) == sizeof(std::uint32_t));

inline constexpr std::size_t line_bytes = 64;

/// A fragment of a message. What fits travels in the line of its flag, so that one cache line goes
/// from core to core; the rest is in the chunk of the line.
struct alignas(line_bytes) Line {
  static constexpr std::size_t data_bytes = 48;

  Flag number;  ///< of the fragment
  std::int32_t tag;
  std::uint64_t message_bytes;  ///< of the whole message, in each of its fragments
  std::array<std::byte, data_bytes> data;
};

/// A bit of Line::message_bytes: the message stays where its sender has it, at an address that the
/// line holds, and its receiver reads it there.
inline constexpr std::uint64_t in_place = std::uint64_t{1} << 63U;

static_assert(sizeof(Line) == line_bytes);

/// The flags of messages from one rank to another. Lives in shared memory that was zero once, and
/// is never reset.
struct Channel {
  std::array<Line, num_lines> lines;
  alignas(line_bytes) Flag consumed;
  /// Of a fragment in place: its number if the receiver could not read the message, which then
  /// comes again as copies. Written before `consumed`.
  Flag refused;

  [[nodiscard]] Flags<Flag> flags() noexcept {
    return {.first = &lines[0].number, .stride_bytes = sizeof(Line), .consumed = &consumed};
  }
};

/// A channel and the memory for fragments that do not fit into a line.
struct ChannelPlace {
  Channel* channel = nullptr;
  std::byte* chunks = nullptr;  ///< one for each line
  std::size_t chunk_bytes = 0;
};

/// From here on a copy less is worth a system call.
inline constexpr std::uint64_t smallest_in_place = 12 * 1024;

}  // namespace espalier::exec::node
