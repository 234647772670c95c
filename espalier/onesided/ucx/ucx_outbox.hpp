// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "espalier/onesided/lines.hpp"
#include "espalier/onesided/ucx/ucx_mail.hpp"
#include "espalier/onesided/ucx/ucx_peer.hpp"

namespace espalier::onesided {

/// Buffers of messages that UCX still reads.
class UcxOutbox {
public:
  static constexpr std::size_t num_buffers = 32;
  /// With its header, what transports of UCX carry in one piece (8 KiB) holds it.
  static constexpr std::size_t payload_bytes = 4096;

  /// @throws Error if a message failed, as do all that follow.
  [[nodiscard]] bool has_room();

  /// Where there is room. `payload` may be written again afterwards.
  void
  send(UcxPeer& peer, unsigned id, UcxMailHeader const& header, std::span<std::byte const> payload);

  /// Whether UCX reads none of them any more.
  [[nodiscard]] bool is_empty();

private:
  struct alignas(line_bytes) Buffer {
    UcxMailHeader header;
    std::array<std::byte, payload_bytes> payload;
    UcxRequest request;
  };

  std::vector<Buffer> buffers_ = std::vector<Buffer>(num_buffers);
  std::size_t next_ = 0;  ///< the buffer that was used least recently
};

}  // namespace espalier::onesided
