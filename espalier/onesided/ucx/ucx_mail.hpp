// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "espalier/onesided/message.hpp"
#include "espalier/onesided/ucx/ucx_worker.hpp"

namespace espalier::onesided {

/// What a message is for, and where its payload is.
enum class UcxMailKind : std::uint8_t {
  here,         ///< beside the header, for the handler
  for_segment,  ///< beside the header, for the segment and the handler
  landed,       ///< in the segment, for the handler
  raising_put   ///< beside the header, for the segment; counter and amount are arguments
};

/// The header of every active message.
struct UcxMailHeader {
  UcxMailKind kind = UcxMailKind::here;
  std::uint8_t num_arguments = 0;
  std::uint16_t handler = 0;
  std::uint32_t source = 0;
  std::uint64_t num_bytes = 0;  ///< of the payload, wherever it is
  std::uint64_t offset = 0;     ///< in the segment of the receiver
  std::array<std::uint64_t, max_arguments> arguments{};
};

static_assert(sizeof(UcxMailHeader) == UcxWorker::header_bytes);

/// A message that UCX has brought. Its payload stays in memory of UCX until it is given back.
struct UcxMail {
  UcxMailHeader header;
  std::byte* payload = nullptr;
};

}  // namespace espalier::onesided
