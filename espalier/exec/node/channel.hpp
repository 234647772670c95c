// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
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

/// A source of many small messages is at most so many ahead of their receiver; the fewer it may be,
/// the more often it waits for a cache line from the other core.
struct ChannelRules : ReleaseAcquire {
  static constexpr std::uint32_t lines = 64;
  static constexpr std::uint32_t at_once = lines / 4;
};

/// Of a channel, and used in turn. Fewer than lines, so that fragments are not too small: who
/// writes a chunk makes sure that fewer than so many lines are open.
inline constexpr std::uint32_t num_chunks = 16;

/// Lines with a chunk are given back in groups of this size: both ends copy at the same time.
inline constexpr std::uint32_t chunks_at_once = num_chunks / 4;

// Fragments use chunks in turn, also when their numbers wrap around, and no writer waits for lines
// that the reader keeps.
static_assert(ChannelRules::lines % num_chunks == 0 && ChannelRules::at_once <= num_chunks);

/// The flags of messages from one rank to another. Lives in shared memory that was zero once, and
/// is never reset.
struct Channel {
  std::array<Line, ChannelRules::lines> lines;
  alignas(line_bytes) Flag consumed;
  /// Of a fragment in place: its number if the receiver could not read the message, which then
  /// comes again as copies. Written before `consumed`.
  Flag refused;

  [[nodiscard]] Flags<Flag> flags() noexcept {
    return {.first = &lines[0].number, .stride_bytes = sizeof(Line), .consumed = &consumed};
  }
};

/// Messages up to here are copied twice, however small a channel is: a system call takes longer.
inline constexpr std::uint64_t always_copied = 4096;

/// Larger ones are never copied twice: a copy less is worth a system call.
inline constexpr std::uint64_t most_copied = std::uint64_t{64} * 1024;

/// A channel and the memory for fragments that do not fit into a line.
struct ChannelPlace {
  Channel* channel = nullptr;
  std::byte* chunks = nullptr;  ///< num_chunks of them
  std::size_t chunk_bytes = 0;

  /// The chunk of a line.
  [[nodiscard]] std::byte* chunk(std::uint32_t line) const noexcept {
    return chunks + line % num_chunks * chunk_bytes;
  }

  /// Messages up to here are copied by way of the chunks; larger ones are read where they are, if
  /// that can be done. What fits into all chunks is copied: its sender waits for nobody, and caches
  /// are faster than the kernel.
  [[nodiscard]] std::uint64_t copied_bytes() const noexcept {
    return std::clamp<std::uint64_t>(num_chunks * chunk_bytes, always_copied, most_copied);
  }

  /// Messages up to here are one fragment.
  [[nodiscard]] std::uint64_t whole_bytes() const noexcept {
    return std::min<std::uint64_t>(chunk_bytes, most_copied);
  }
};

}  // namespace espalier::exec::node
