// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/node/waiting.hpp"

#include <algorithm>
#include <ctime>

namespace espalier::exec::node {
namespace {

using std::chrono::nanoseconds;

/// Before this, a sleep would delay a rank that is nearly on time, and a rank with a processor of
/// its own keeps it.
constexpr nanoseconds awake = std::chrono::milliseconds(5);
constexpr nanoseconds longest_sleep = std::chrono::milliseconds(1);
constexpr int part_of_wait = 16;

void sleep_for(nanoseconds time) noexcept {
  timespec const request{.tv_sec = 0, .tv_nsec = static_cast<long>(time.count())};
  nanosleep(&request, nullptr);
}

/// Ranks that may use nothing but processors of this set.
int num_inside(std::span<cpu_set_t const> may_use, cpu_set_t const& set) noexcept {
  int result = 0;
  for (cpu_set_t const& one : may_use) {
    cpu_set_t both{};
    CPU_AND(&both, &one, &set);
    result += CPU_EQUAL(&both, &one) ? 1 : 0;
  }
  return result;
}

}  // namespace

bool shares_processors(std::span<cpu_set_t const> may_use, double quota) noexcept {
  if (quota > 0 && quota < static_cast<double>(may_use.size())) {
    return true;
  }
  cpu_set_t all{};
  for (cpu_set_t const& one : may_use) {
    CPU_OR(&all, &all, &one);
  }
  return num_inside(may_use, all) > CPU_COUNT(&all) ||
         std::ranges::any_of(may_use, [&](cpu_set_t const& one) {
           return num_inside(may_use, one) > CPU_COUNT(&one);
         });
}

void Patience::rest() noexcept {
  auto const now = std::chrono::steady_clock::now();
  if (start_ == std::chrono::steady_clock::time_point{}) {
    start_ = now;
  }
  nanoseconds const passed = now - start_;
  if (shares_processors_ && passed > awake) {
    sleep_for(std::min(passed / part_of_wait, longest_sleep));
  } else if (shares_processors_ || passed > awake) {
    sched_yield();
  }
  spins_left_ = shares_processors_ ? 1 : spins_between;
}

}  // namespace espalier::exec::node
