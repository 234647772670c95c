// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/node/segment.hpp"

#include <algorithm>

namespace espalier::exec::node {
namespace {

constexpr std::size_t kibibyte = 1024;
/// For fragments, of each rank.
constexpr std::size_t memory_of_rank = 2048 * kibibyte;
/// More for each other rank than this gains nothing.
constexpr std::size_t enough_for_a_rank = 32 * kibibyte;
/// Fragments of fewer bytes than this cost more than messages.
constexpr int most_ranks = 256;
constexpr std::size_t least_in_a_block = 64 * kibibyte;
constexpr std::size_t most_in_a_block = 512 * kibibyte;
/// Areas begin on pages of any machine.
constexpr std::size_t largest_page = 64 * kibibyte;

constexpr std::size_t round_up(std::size_t value, std::size_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

SegmentShape SegmentShape::of(int num_ranks) noexcept {
  if (num_ranks > most_ranks) {
    return {};
  }
  auto const others = static_cast<std::size_t>(std::max(num_ranks - 1, 1));
  std::size_t const in_a_block =
      std::clamp(others * enough_for_a_rank, least_in_a_block, most_in_a_block);
  return {
      .num_ranks = num_ranks,
      .num_contexts = static_cast<int>(memory_of_rank / in_a_block),
      .chunk_memory_bytes = in_a_block,
  };
}

std::size_t SegmentShape::block_bytes() const noexcept {
  return static_cast<std::size_t>(num_ranks) * sizeof(Channel) + chunk_memory_bytes;
}

std::size_t SegmentShape::area_bytes() const noexcept {
  return round_up(static_cast<std::size_t>(num_contexts) * block_bytes(), largest_page);
}

std::size_t SegmentShape::num_bytes() const noexcept {
  return static_cast<std::size_t>(num_ranks) * area_bytes();
}

std::size_t SegmentShape::area_begin(int rank) const noexcept {
  return static_cast<std::size_t>(rank) * area_bytes();
}

ChannelPlace Segment::place(ChannelKey const& key) const noexcept {
  std::byte* const block = memory_.data() + shape_.area_begin(key.to) +
                           static_cast<std::size_t>(key.context) * shape_.block_bytes();
  std::byte* const chunks = block + static_cast<std::size_t>(shape_.num_ranks) * sizeof(Channel);
  auto const others = static_cast<std::size_t>(key.num_members - 1);
  std::size_t const share = shape_.chunk_memory_bytes / others;
  std::size_t const chunk_bytes = share / num_chunks / line_bytes * line_bytes;
  int const place = key.from_member - (key.from_member > key.to_member ? 1 : 0);
  return {
      .channel = reinterpret_cast<Channel*>(block) + key.from,
      .chunks = chunks + static_cast<std::size_t>(place) * num_chunks * chunk_bytes,
      .chunk_bytes = chunk_bytes,
  };
}

}  // namespace espalier::exec::node
