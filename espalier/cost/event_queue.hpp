// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

namespace espalier::cost {

/// Something that happens to a step. What happens at the same time is ordered by type, then by
/// step, and so by rank and operation.
struct Event {
  enum class Type : std::uint8_t {
    done,     ///< the step is complete
    arrives,  ///< the first byte for a receive asks to come in
    hops,     ///< the first byte for a receive asks for the next link of a torus
    leaves,   ///< the bytes of a send ask to leave
  };

  Event(double when, Type what, std::int32_t which) noexcept
      : time(when),
        order(static_cast<std::uint64_t>(what) << 32U | static_cast<std::uint32_t>(which)) {}

  [[nodiscard]] Type type() const noexcept { return static_cast<Type>(order >> 32U); }

  [[nodiscard]] std::int32_t step() const noexcept {
    return static_cast<std::int32_t>(order & 0xffffffffU);
  }

  friend bool operator>(Event const& a, Event const& b) noexcept {
    return a.time > b.time || (a.time == b.time && a.order > b.order);
  }

  double time;
  std::uint64_t order;
};

/// Events by time.
class EventQueue {
public:
  void push(Event const& event) {
    events_.push_back(event);
    std::ranges::push_heap(events_, std::greater<>());
  }

  Event pop() {
    std::ranges::pop_heap(events_, std::greater<>());
    Event const first = events_.back();
    events_.pop_back();
    return first;
  }

  [[nodiscard]] bool is_empty() const noexcept { return events_.empty(); }

  [[nodiscard]] double next_time() const { return events_.front().time; }

private:
  std::vector<Event> events_;  ///< heap
};

}  // namespace espalier::cost
