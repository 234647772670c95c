// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/memory/postbox.hpp"

#include <algorithm>
#include <cstring>

namespace espalier::onesided {
namespace {

/// For all payloads of messages to a rank.
constexpr std::size_t payload_memory = std::size_t{2} << 20U;
constexpr std::size_t least_payload = 256;
constexpr std::size_t most_payload = 8192;

exec::node::Flags<Flag> flags_of(PostChannel* channel) noexcept {
  return {
      .first = &channel->lines[0].flag,
      .stride_bytes = sizeof(PostLine),
      .consumed = &channel->consumed,
  };
}

}  // namespace

PostShape PostShape::of(int num_ranks) noexcept {
  std::size_t const num_lines = 2 * exec::node::num_lines * static_cast<std::size_t>(num_ranks);
  std::size_t const share = payload_memory / num_lines / line_bytes * line_bytes;
  return {
      .num_ranks = num_ranks,
      .medium_bytes = std::clamp(share, least_payload, most_payload),
  };
}

Postbox::Postbox(PostShape shape, std::span<std::byte* const> areas, int rank)
    : shape_(shape), doorbell_(reinterpret_cast<Doorbell*>(areas[static_cast<std::size_t>(rank)])) {
  for (bool const is_reply : {false, true}) {
    for (int other = 0; other < shape.num_ranks; ++other) {
      std::byte* const area = areas[static_cast<std::size_t>(other)];
      PostChannel* const out = channel(area, index(rank, is_reply));
      PostChannel* const in =
          channel(areas[static_cast<std::size_t>(rank)], index(other, is_reply));
      out_.push_back({
          .channel = out,
          .flow = exec::node::Outflow<Flag>(flags_of(out)),
          .doorbell = reinterpret_cast<Doorbell*>(area),
      });
      in_.push_back({.channel = in, .flow = exec::node::Inflow<Flag>(flags_of(in))});
    }
  }
}

PostChannel* Postbox::channel(std::byte* area, std::size_t index) const noexcept {
  return reinterpret_cast<PostChannel*>(area + sizeof(Doorbell) + index * shape_.channel_bytes());
}

std::byte* Postbox::payload_of(PostChannel* channel, std::uint32_t line) const noexcept {
  return reinterpret_cast<std::byte*>(channel + 1) + line * shape_.medium_bytes;
}

void Postbox::post(Outgoing const& outgoing) noexcept {
  Out& out = out_[index(outgoing.rank, outgoing.is_reply)];
  PostLine& line = out.channel->lines[out.flow.line()];
  auto const arguments = outgoing.arguments.values();
  line.handler = static_cast<std::uint16_t>(outgoing.handler);
  line.kind = outgoing.kind;
  line.num_arguments = static_cast<std::uint8_t>(arguments.size());
  line.num_bytes = outgoing.payload.size();
  line.offset = outgoing.offset;
  std::ranges::copy(arguments, line.arguments.begin());
  if (outgoing.kind == MessageKind::medium_message && !outgoing.payload.empty()) {
    std::memcpy(
        payload_of(out.channel, out.flow.line()), outgoing.payload.data(), outgoing.payload.size()
    );
  }
  out.flow.publish();
  out.doorbell->num_rings.fetch_add(1, std::memory_order_release);
}

bool Postbox::has_news() noexcept {
  std::uint64_t const num_rings = doorbell_->num_rings.load(std::memory_order_acquire);
  bool const result = num_rings != num_rings_ || has_left_;
  num_rings_ = num_rings;
  return result;
}

Postbox::Taken::~Taken() {
  if (flow != nullptr) {
    flow->release();
  }
}

Postbox::Taken Postbox::take(int source, bool is_reply) noexcept {
  In& in = in_[index(source, is_reply)];
  if (!in.flow.has_fragment()) {
    return {};
  }
  std::uint32_t const line = in.flow.line();
  return {in.channel->lines[line], payload_of(in.channel, line), in.flow};
}

}  // namespace espalier::onesided
