// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/turns.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::learn {

Turns::Turns(int num_candidates)
    : tournament_(num_candidates, most_seconds), is_over_(tournament_.is_over()) {}

Turns::Turn Turns::next() {
  ++num_calls_;
  if (is_over_) {
    return {.candidate = winner()};
  }
  std::int64_t const place = num_calls_ - trial_begin_;
  bool const is_timed = place >= 0 && place < calls_of_trial;
  return {
      .candidate = is_timed ? tournament_.next() : Tournament::incumbent,
      .is_timed = is_timed,
      .is_exchanged = place == calls_of_trial,
  };
}

void Turns::conclude(Words const& agreed) {
  if (tournament_.next() == Tournament::incumbent) {
    of_incumbent_ += agreed.trial;
    ++num_of_incumbent_;
  } else {
    trials_ += calls_of_trial * (agreed.trial - base());
    of_others_ += calls_of_trial * agreed.trial;
    num_of_others_ += calls_of_trial;
  }
  exchanges_ += agreed.exchange;
  tournament_.note(agreed.trial, lost());
  is_over_ = tournament_.is_over() || is_too_risky();
  trial_begin_ = num_calls_ + 1 + (is_over_ ? 0 : pause(agreed.total));
}

/// With the loss of the next trial, if it takes as long as it did before, or as one fears.
bool Turns::is_too_risky() const {
  int const candidate = tournament_.next();
  double const known = tournament_.fastest(candidate);
  double const seconds = std::isinf(known) ? feared * base() : known;
  double const risk = candidate == Tournament::incumbent ? 0 : seconds - base();
  return lost() + calls_of_trial * std::max(0.0, risk) > most_seconds;
}

/// Calls of the incumbent until what was lost is a small part of the time of all calls.
std::int64_t Turns::pause(double total) const {
  constexpr double longest = 1e9;
  double const missing = lost() / most_share - total;
  double const of_call = (total - of_others_) / static_cast<double>(num_calls_ - num_of_others_);
  bool const is_needed = missing > 0 && of_call > 0;
  return is_needed ? static_cast<std::int64_t>(std::ceil(std::min(longest, missing / of_call))) : 0;
}

}  // namespace espalier::learn
