// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "espalier/onesided/memory/post.hpp"

namespace espalier::onesided {

/// The active messages of one rank in shared memory: those that it posts, and those that it takes.
class Postbox {
public:
  /// @param areas  of all ranks, zero when the first of them begins
  Postbox(PostShape shape, std::span<std::byte* const> areas, int rank);

  [[nodiscard]] bool has_room(int rank, bool is_reply) noexcept {
    return out_[index(rank, is_reply)].flow.has_room();
  }

  /// Where there is room. A payload of a medium message is copied here.
  void post(Outgoing const& outgoing) noexcept;

  /// Whether there may be something to take: posted since the last call, or left then.
  [[nodiscard]] bool has_news() noexcept;

  void set_left(bool has_left) noexcept { has_left_ = has_left; }

  /// A message in its line, which goes back to its writer with the object.
  struct Taken {
    PostLine* line = nullptr;
    std::byte* payload = nullptr;
    exec::node::Inflow<Flag>* flow = nullptr;

    Taken() = default;

    Taken(PostLine& taken, std::byte* memory, exec::node::Inflow<Flag>& of) noexcept
        : line(&taken), payload(memory), flow(&of) {}

    Taken(Taken const&) = delete;
    Taken& operator=(Taken const&) = delete;
    Taken(Taken&&) = delete;
    Taken& operator=(Taken&&) = delete;
    ~Taken();

    [[nodiscard]] bool is_there() const noexcept { return line != nullptr; }
  };

  /// The next message of a rank. A request is taken only where there is room for its reply.
  [[nodiscard]] Taken take(int source, bool is_reply) noexcept;

private:
  struct Out {
    PostChannel* channel;
    exec::node::Outflow<Flag> flow;
    Doorbell* doorbell;
  };

  struct In {
    PostChannel* channel;
    exec::node::Inflow<Flag> flow;
  };

  [[nodiscard]] std::size_t index(int rank, bool is_reply) const noexcept {
    return static_cast<std::size_t>(rank + (is_reply ? shape_.num_ranks : 0));
  }

  [[nodiscard]] PostChannel* channel(std::byte* area, std::size_t index) const noexcept;
  [[nodiscard]] std::byte* payload_of(PostChannel* channel, std::uint32_t line) const noexcept;

  PostShape shape_;
  Doorbell* doorbell_;
  std::uint64_t num_rings_ = 0;  ///< that were seen
  bool has_left_ = false;
  std::vector<Out> out_;  ///< requests by rank, then replies
  std::vector<In> in_;
};

}  // namespace espalier::onesided
