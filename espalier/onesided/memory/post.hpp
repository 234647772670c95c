// SPDX-License-Identifier: Apache-2.0

/// @file
/// How active messages lie in shared memory. Each rank has an area: a doorbell, and for each class
/// of message a channel from every rank.
///
///     area of a rank | doorbell | requests of rank 0, 1, .. | replies of rank 0, 1, .. |
///     channel        | consumed | line 0 .. 15 | payload 0 .. 15 |

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "espalier/exec/node/flow.hpp"
#include "espalier/onesided/lines.hpp"
#include "espalier/onesided/message.hpp"

namespace espalier::onesided {

using Flag = std::atomic<std::uint32_t>;

/// One message, with the flag that gives it from its writer to its reader (exec/node/flow).
struct alignas(line_bytes) PostLine {
  Flag flag;
  std::uint16_t handler;
  MessageKind kind;
  std::uint8_t num_arguments;
  std::uint64_t num_bytes;
  std::uint64_t offset;
  std::array<std::uint64_t, max_arguments> arguments;
};

static_assert(sizeof(PostLine) == line_bytes);

struct PostChannel {
  alignas(line_bytes) Flag consumed;
  std::array<PostLine, exec::node::num_lines> lines;
};

/// Raised by whoever posts something, so that a rank without messages looks at one line.
struct Doorbell {
  alignas(line_bytes) std::atomic<std::uint64_t> num_rings;
};

/// How large areas are. A pure function of the number of ranks, so that all know alike.
struct PostShape {
  int num_ranks = 0;
  std::size_t medium_bytes = 0;  ///< largest payload

  static PostShape of(int num_ranks) noexcept;

  [[nodiscard]] std::size_t channel_bytes() const noexcept {
    return sizeof(PostChannel) + exec::node::num_lines * medium_bytes;
  }

  [[nodiscard]] std::size_t area_bytes() const noexcept {
    return sizeof(Doorbell) + 2 * static_cast<std::size_t>(num_ranks) * channel_bytes();
  }
};

}  // namespace espalier::onesided
