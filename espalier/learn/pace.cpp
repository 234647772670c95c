// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/pace.hpp"

#include <algorithm>

namespace espalier::learn {

void Pace::begin(std::int64_t call, double time, bool is_trial) noexcept {
  double const interval = time - last_time_;
  bool const is_next = call == last_call_ + 1;
  if (is_next && is_after_trial_ && num_intervals_ > 0) {
    excess_ += interval - usual_interval();
  } else if (is_next && !is_after_trial_ && call > num_cold_calls) {
    sum_of_intervals_ += interval;
    ++num_intervals_;
  }
  last_call_ = call;
  last_time_ = time;
  is_after_trial_ = is_trial;
}

double Pace::waited(double seconds, double usual) noexcept {
  waits_ += std::max(0.0, seconds);
  if (num_intervals_ < fewest_intervals || usual_interval() > closest * usual) {
    return 0;
  }
  double const due = std::clamp(excess_, 0.0, waits_);
  double const more = std::max(0.0, due - charged_);
  charged_ += more;
  return more;
}

}  // namespace espalier::learn
