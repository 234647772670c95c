// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace espalier::onesided {

/// The operations of a conduit that are underway, by slot. They do not move in memory, and memory
/// is taken only if more of them are underway than ever before.
template <typename Operation> class Operations {
public:
  using Slot = std::uint32_t;

  [[nodiscard]] Operation& operator[](Slot slot) { return operations_[slot]; }

  [[nodiscard]] Slot take(Operation operation) {
    if (free_.empty()) {
      make_room(free_);
      make_room(dropped_);
      operations_.emplace_back();
      free_.push_back(static_cast<Slot>(operations_.size() - 1));
    }
    Slot const slot = free_.back();
    operations_[slot] = std::move(operation);
    free_.pop_back();
    return slot;
  }

  void free(Slot slot) noexcept {
    std::erase(pushed_, slot);
    free_.push_back(slot);
  }

  /// Polls go on with this one from now on.
  void push(Slot slot) { pushed_.push_back(slot); }

  /// Calls advance(operation) for those, and forgets those for which it is true. Whether none is
  /// left.
  template <typename Advance> bool push_on(Advance&& advance) {
    if (!pushed_.empty()) [[unlikely]] {
      std::erase_if(pushed_, [&](Slot slot) { return advance(operations_[slot]); });
    }
    return pushed_.empty();
  }

  /// Its handle is gone.
  void drop(Slot slot) noexcept { dropped_.push_back(slot); }

  /// Calls is_over(slot) for those, which frees the slot if it is true. Whether none is left.
  template <typename IsOver> bool end_dropped(IsOver&& is_over) {
    std::erase_if(dropped_, is_over);
    return dropped_.empty();
  }

  [[nodiscard]] auto begin() noexcept { return operations_.begin(); }

  [[nodiscard]] auto end() noexcept { return operations_.end(); }

private:
  /// For one slot more than there are, so that giving slots back allocates nothing.
  void make_room(std::vector<Slot>& list) const {
    if (list.capacity() <= operations_.size()) {
      list.reserve(2 * operations_.size() + 1);
    }
  }

  std::deque<Operation> operations_;
  std::vector<Slot> free_;
  std::vector<Slot> pushed_;
  std::vector<Slot> dropped_;
};

}  // namespace espalier::onesided
