// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <utility>

namespace espalier::onesided {

class Conduit;

/// One operation that was started. Belongs to the thread of its rank, and must not outlive the
/// conduit. Whoever drops it leaves the operation to the next fence.
class Handle {
public:
  Handle() = default;

  Handle(Handle&& other) noexcept
      : conduit_(other.conduit_), slot_(other.slot_), state_(std::exchange(other.state_, none)) {}

  Handle& operator=(Handle&& other) noexcept {
    std::swap(conduit_, other.conduit_);
    std::swap(slot_, other.slot_);
    std::swap(state_, other.state_);
    return *this;
  }

  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;

  ~Handle() {
    if (state_ == open && slot_ != complete) {
      drop();
    }
  }

  /// Whether it can be tested and waited for.
  [[nodiscard]] bool is_open() const noexcept { return state_ == open; }

private:
  friend class Conduit;

  enum State : std::uint8_t { none, open, over };

  /// Instead of a slot: the operation was over when it was started.
  static constexpr std::uint32_t complete = ~std::uint32_t{0};

  Handle(Conduit& conduit, std::uint32_t slot) noexcept
      : conduit_(&conduit), slot_(slot), state_(open) {}

  void drop() noexcept;

  Conduit* conduit_ = nullptr;
  std::uint32_t slot_ = complete;
  State state_ = none;
};

}  // namespace espalier::onesided
