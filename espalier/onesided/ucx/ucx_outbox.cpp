// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/ucx/ucx_outbox.hpp"

#include <algorithm>
#include <cstring>

namespace espalier::onesided {

bool UcxOutbox::has_room() {
  return buffers_[next_].request.is_over();
}

bool UcxOutbox::is_empty() {
  return std::ranges::all_of(buffers_, [](Buffer& buffer) { return buffer.request.is_over(); });
}

void UcxOutbox::send(
    UcxPeer& peer, unsigned id, UcxMailHeader const& header, std::span<std::byte const> payload
) {
  Buffer& buffer = buffers_[next_];
  buffer.header = header;
  if (!payload.empty()) {
    std::memcpy(buffer.payload.data(), payload.data(), payload.size());
  }
  buffer.request = peer.send(
      id, std::as_bytes(std::span(&buffer.header, 1)), {buffer.payload.data(), payload.size()}
  );
  next_ = (next_ + 1) % num_buffers;
}

}  // namespace espalier::onesided
