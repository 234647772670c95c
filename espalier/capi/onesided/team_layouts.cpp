// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_layouts.hpp"

#include <cstddef>

namespace espalier::capi {
namespace {

using exec::Layout;
using schedule::Collective;

/// The whole result: a block for each rank, or one vector, cut as the program wants it.
Layout whole(TeamCall const& call, TeamElements const& elements, int num_ranks, int num_blocks) {
  if (num_blocks == 0) {
    return Layout::uniform(0, 0, elements.extent_bytes);
  }
  int const num_parts = schedule::has_parts(call.collective) ? num_ranks : 1;
  return Layout::uniform(num_parts, elements.count, elements.extent_bytes)
      .divided(num_blocks / num_parts);
}

}  // namespace

TeamLayouts::TeamLayouts(
    TeamCall const& call, TeamElements const& elements, int num_ranks, int num_blocks
)
    : all_(whole(call, elements, num_ranks, num_blocks)) {
  if (call.collective != Collective::scatter && call.collective != Collective::gather) {
    return;
  }
  int const num_pieces = num_blocks / num_ranks;
  Layout const part = Layout::uniform(1, elements.count, elements.extent_bytes).divided(num_pieces);
  Layout const nothing = Layout::uniform(0, 0, elements.extent_bytes).within(num_blocks, 0);
  for (int rank = 0; rank < num_ranks; ++rank) {
    if (call.collective == Collective::scatter) {
      own_.push_back(part.within(num_blocks, rank * num_pieces));
    } else {
      own_.push_back(rank == call.root ? all_ : nothing);
    }
  }
}

onesided::OutputBlocks TeamLayouts::of(int rank) const {
  return own_.empty() ? onesided::OutputBlocks(all_)
                      : onesided::OutputBlocks(own_[static_cast<std::size_t>(rank)], &all_);
}

}  // namespace espalier::capi
