// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <utility>

#include "espalier/exec/node/channel.hpp"
#include "espalier/exec/node/shared_memory.hpp"

namespace espalier::exec::node {

/// How the memory of a node is divided. A pure function of the number of its ranks.
///
/// Each rank has an area of its own, with a block for each of the first contexts. A block has a
/// channel from each rank of the node, and memory for fragments that those of its communicator
/// share. Who may use which part follows from ranks and the number of the context, on which the
/// ranks of the communicator agreed: nothing is allocated, and nobody has to be asked.
struct SegmentShape {
  int num_ranks = 0;
  int num_contexts = 0;                ///< 0: so many ranks send messages
  std::size_t chunk_memory_bytes = 0;  ///< of a block

  static SegmentShape of(int num_ranks) noexcept;

  [[nodiscard]] std::size_t block_bytes() const noexcept;
  [[nodiscard]] std::size_t area_bytes() const noexcept;
  [[nodiscard]] std::size_t num_bytes() const noexcept;
  [[nodiscard]] std::size_t area_begin(int rank) const noexcept;
};

/// From whom to whom, by ranks of the node and places among those of a communicator.
struct ChannelKey {
  int context = 0;
  int from = 0;
  int to = 0;
  int from_member = 0;  ///< number of `from` among the ranks of the communicator on this node
  int to_member = 0;
  int num_members = 0;  ///< of the communicator on this node
};

/// Shared memory of the ranks of one node, as a shape divides it.
class Segment {
public:
  /// @param memory  of shape.num_bytes()
  Segment(SegmentShape shape, SharedMemory memory) noexcept
      : shape_(shape), memory_(std::move(memory)) {}

  [[nodiscard]] SegmentShape const& shape() const noexcept { return shape_; }

  [[nodiscard]] ChannelPlace place(ChannelKey const& key) const noexcept;

private:
  SegmentShape shape_;
  SharedMemory memory_;
};

}  // namespace espalier::exec::node
