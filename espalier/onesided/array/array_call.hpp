// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace espalier::onesided {

/// What blocks give to each other. A piece has the same size everywhere, and pieces of a block lie
/// one behind the other from its beginning.
enum class ArrayCollective : std::uint8_t {
  bcast,     ///< one block to all others: the same piece
  scatter,   ///< piece i of one block to block i
  gather,    ///< block i to piece i of one block
  exchange,  ///< piece i of block j to piece j of block i
  reduce,    ///< what an operator makes of a piece of each block, in their order, to one block
};

[[nodiscard]] std::string_view to_string(ArrayCollective collective) noexcept;

/// A block in the segment of its owner.
struct OwnedBlock {
  int rank = 0;
  std::uint64_t offset = 0;
};

/// A collective of blocks.
struct ArrayCall {
  ArrayCollective collective = ArrayCollective::bcast;
  std::vector<OwnedBlock> from;
  std::vector<OwnedBlock> to;
  std::uint64_t piece_bytes = 0;
  std::uint64_t from_block_bytes = 0;  ///< of each block
  std::uint64_t to_block_bytes = 0;    ///< of each block
  bool needs_rank_order = false;       ///< operands may not be swapped
};

/// @throws Error argument unless regions have as many blocks as the collective needs, blocks have
///     room for their pieces, and none is read and written. A bcast may name its source as target.
void check(ArrayCall const& call);

}  // namespace espalier::onesided
