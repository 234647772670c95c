// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_layouts.hpp"

#include <cstddef>

namespace espalier::capi {
namespace {

using exec::Layout;
using schedule::Collective;

/// A block for each rank, or one vector, cut as the program wants it.
Layout whole(TeamCall const& call, TeamElements const& elements, int num_ranks, int num_blocks) {
  bool const is_whole = !call.blocks || !call.blocks->parts.empty();
  if (num_blocks == 0 || !is_whole) {
    return Layout::uniform(0, 0, elements.extent_bytes);
  }
  int const num_parts = schedule::has_parts(call.collective) ? num_ranks : 1;
  Layout const parts = call.blocks
                           ? call.blocks->parts.front().layout(elements.extent_bytes)
                           : Layout::uniform(num_parts, elements.count, elements.extent_bytes);
  return parts.divided(num_blocks / num_parts);
}

}  // namespace

TeamLayouts::TeamLayouts(
    TeamCall const& call, TeamElements const& elements, int num_ranks, int num_blocks
)
    : all_(whole(call, elements, num_ranks, num_blocks)) {
  if (call.blocks && call.collective == Collective::alltoall) {
    add_exchange(*call.blocks, elements.extent_bytes, num_blocks / num_ranks);
    return;
  }
  if (call.collective == Collective::scatter || call.collective == Collective::gather) {
    add_rooted(call, elements, num_ranks);
  }
}

/// Members have some of the blocks only.
void TeamLayouts::add_rooted(TeamCall const& call, TeamElements const& elements, int num_ranks) {
  int const num_blocks = all_.num_blocks();
  int const num_pieces = num_blocks / num_ranks;
  Layout const nothing = Layout::uniform(0, 0, elements.extent_bytes).within(num_blocks, 0);
  for (int rank = 0; rank < num_ranks; ++rank) {
    bool const is_root = rank == call.root;
    if (call.collective == Collective::gather) {
      members_.push_back({.output = is_root ? all_ : nothing});
      continue;
    }
    std::int64_t const count =
        call.blocks ? call.blocks->parts.front().count(rank) : elements.count;
    Layout const part = Layout::uniform(1, count, elements.extent_bytes).divided(num_pieces);
    members_.push_back({
        .output = part.within(num_blocks, rank * num_pieces),
        .input = is_root ? std::optional(all_) : std::nullopt,
    });
  }
}

void TeamLayouts::add_exchange(
    UnevenBlocks const& blocks, std::int64_t extent_bytes, int num_pieces
) {
  for (std::size_t rank = 0; rank < blocks.outputs.size(); ++rank) {
    members_.push_back({
        .output = blocks.outputs[rank].layout(extent_bytes).divided(num_pieces),
        .input = blocks.inputs[rank].layout(extent_bytes).divided(num_pieces),
    });
  }
}

onesided::UserBlocks TeamLayouts::of(int rank) const {
  if (members_.empty()) {
    return all_;
  }
  Member const& member = members_[static_cast<std::size_t>(rank)];
  return {
      member.output,
      all_.num_blocks() > 0 ? &all_ : nullptr,
      member.input ? &*member.input : nullptr
  };
}

}  // namespace espalier::capi
