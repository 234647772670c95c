// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
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

  Event(double when, std::uint64_t type_and_step) noexcept : time(when), order(type_and_step) {}

  [[nodiscard]] Type type() const noexcept { return static_cast<Type>(order >> 32U); }

  [[nodiscard]] std::int32_t step() const noexcept {
    return static_cast<std::int32_t>(order & 0xffffffffU);
  }

  double time;
  std::uint64_t order;
};

/// Events by time, where none comes that is earlier than the last one taken: a radix heap. An event
/// waits in the bucket of the highest bit in which its time and the last one taken differ, and goes
/// to lower buckets as that comes nearer.
class EventQueue {
public:
  /// What is earlier than the last event taken happens at its time.
  void push(Event const& event) {
    ++size_;
    put(bits_of(event.time), event.order);
  }

  /// The first event; needs that there is one.
  Event pop() {
    if (now_.empty()) {
      advance();
    }
    --size_;
    std::ranges::pop_heap(now_, std::greater<>());
    std::uint64_t const order = now_.back();
    now_.pop_back();
    return {std::bit_cast<double>(last_), order};
  }

  [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }

  /// Needs that there is an event.
  [[nodiscard]] double next_time() const {
    return std::bit_cast<double>(now_.empty() ? buckets_[lowest_bucket()].first : last_);
  }

private:
  struct Waiting {
    std::uint64_t time = 0;  ///< as bits, which have the order of times: none is below 0
    std::uint64_t order = 0;
  };

  struct Bucket {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();  ///< the earliest time
    std::vector<Waiting> events;
  };

  static std::uint64_t bits_of(double time) noexcept { return std::bit_cast<std::uint64_t>(time); }

  void put(std::uint64_t time, std::uint64_t order) {
    if (time <= last_) {
      now_.push_back(order);
      std::ranges::push_heap(now_, std::greater<>());
      return;
    }
    auto const number = static_cast<std::size_t>(std::bit_width(time ^ last_)) - 1;
    Bucket& bucket = buckets_[number];
    bucket.first = std::min(bucket.first, time);
    bucket.events.push_back({.time = time, .order = order});
    used_ |= std::uint64_t{1} << number;
  }

  [[nodiscard]] std::size_t lowest_bucket() const noexcept {
    return static_cast<std::size_t>(std::countr_zero(used_));
  }

  /// To the time of the next event.
  void advance() {
    std::size_t const number = lowest_bucket();
    Bucket& bucket = buckets_[number];
    used_ &= ~(std::uint64_t{1} << number);
    last_ = bucket.first;
    bucket.first = Bucket().first;
    for (Waiting const& event : bucket.events) {
      put(event.time, event.order);
    }
    bucket.events.clear();
  }

  std::uint64_t last_ = 0;  ///< time of the last event taken
  std::uint64_t used_ = 0;  ///< bit i: bucket i has events
  std::size_t size_ = 0;
  std::vector<std::uint64_t> now_;  ///< heap of the orders of events at that time
  std::array<Bucket, 64> buckets_;
};

}  // namespace espalier::cost
