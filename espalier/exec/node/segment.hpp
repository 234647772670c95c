// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <sys/types.h>

#include "espalier/exec/node/channel.hpp"

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

/// Shared memory of the ranks of one node. It has no name in any file system: the kernel removes it
/// when the last process that has it mapped ends, in whatever way.
class Segment {
public:
  /// Where another process finds the memory.
  struct Address {
    std::int64_t process = -1;  ///< -1: there is none
    std::int64_t file = -1;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };

  Segment() = default;
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;
  Segment(Segment const&) = delete;
  Segment& operator=(Segment const&) = delete;
  ~Segment();

  /// On one rank. None if there is no such memory.
  static std::optional<Segment> create(SegmentShape shape) noexcept;
  /// On another rank. None if the address means nothing here (another process namespace), or
  /// something else.
  static std::optional<Segment> open(SegmentShape shape, Address const& address) noexcept;

  [[nodiscard]] Address address() const noexcept;

  /// Makes the area of a rank exist, near this processor: later nothing can be missing.
  [[nodiscard]] bool back(int rank) noexcept;

  /// The file is not needed any longer: every rank has it open, or nobody will use it.
  void close_file() noexcept;

  [[nodiscard]] SegmentShape const& shape() const noexcept { return shape_; }

  [[nodiscard]] ChannelPlace place(ChannelKey const& key) const noexcept;

private:
  static std::optional<Segment> map(SegmentShape shape, int file) noexcept;

  SegmentShape shape_;
  int file_ = -1;
  std::byte* memory_ = nullptr;
};

}  // namespace espalier::exec::node
