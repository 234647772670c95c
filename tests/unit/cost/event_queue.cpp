// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/event_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/cost/replay/earliest.hpp"

namespace espalier::cost {
namespace {

using Type = Event::Type;

/// What a list that is searched from its begin to its end gives.
Event take_first(std::vector<Event>& events) {
  auto const first = std::ranges::min_element(events, {}, [](Event const& event) {
    return std::pair(event.time, event.order);
  });
  Event const taken = *first;
  events.erase(first);
  return taken;
}

TEST(EventQueue, GivesWhatASearchedListGives) {
  std::mt19937 random(7);
  EventQueue queue;
  std::vector<Event> expected;
  double now = 0;
  for (std::int32_t step = 0; step < 20'000; ++step) {
    // Some at once, some soon, some late; many at equal times.
    double const later = 1e-7 * static_cast<double>(random() % 4) * (random() % 9 == 0 ? 1000 : 1);
    Event const event(now + later, random() % 2 == 0 ? Type::done : Type::leaves, step);
    queue.push(event);
    expected.push_back(event);
    if (random() % 3 > 0 || step > 15'000) {
      ASSERT_EQ(queue.next_time(), std::ranges::min(expected, {}, &Event::time).time);
      Event const taken = queue.pop();
      Event const first = take_first(expected);
      ASSERT_EQ(taken.time, first.time);
      ASSERT_EQ(taken.order, first.order);
      now = taken.time;
    }
    ASSERT_EQ(queue.is_empty(), expected.empty());
  }
}

TEST(EventQueue, TakesWhatIsLateAtOnce) {
  EventQueue queue;
  queue.push({2, Type::done, 1});
  queue.push({3, Type::done, 2});
  EXPECT_EQ(queue.pop().time, 2);
  queue.push({1, Type::done, 3});
  EXPECT_EQ(queue.next_time(), 2);
  EXPECT_EQ(queue.pop().step(), 3);
  EXPECT_EQ(queue.pop().step(), 2);
  EXPECT_TRUE(queue.is_empty());
}

TEST(Earliest, IsTheLowestOfThoseThatAreFirst) {
  Earliest times(5);
  EXPECT_EQ(times.time(), std::numeric_limits<double>::infinity());
  for (std::size_t const which : {4U, 1U, 3U}) {
    times.set(which, 7);
  }
  EXPECT_EQ(times.which(), 1U);
  times.set(1, 9);
  EXPECT_EQ(times.time(), 7);
  EXPECT_EQ(times.which(), 3U);
  times.set(3, 10);
  times.set(4, 10);
  EXPECT_EQ(times.time(), 9);
  EXPECT_EQ(times.which(), 1U);
}

}  // namespace
}  // namespace espalier::cost
