// SPDX-License-Identifier: Apache-2.0

/// @file
/// The part of a race that compares who runs, or won, with the native call by stretches of calls.

#include <algorithm>

#include "espalier/learn/race.hpp"

namespace espalier::learn {
namespace {

/// Pairs of stretches of a check that comes to no end.
constexpr int most_pairs_of_a_check = 16;
/// Pairs that a winner has to win more than it loses before it stays.
constexpr int least_lead = 2;
/// Where the stretches of the native call take more than so many times as long as its trials, the
/// program does other things in between, which differ too much to be charged.
constexpr double closest = 4;

}  // namespace

/// The next stretch, or what follows from those that were made.
void Race::plan_stretch(double allowance) {
  if (!standings_.may_run(rival_)) {
    settle(native);
    return;
  }
  if (!stretches_.is_underway()) {
    stretches_.begin(fitting_length(allowance));
  } else if (stretches_.is_between_pairs() && is_check_over()) {
    finish_check();
    return;
  }
  int const candidate = stretches_.is_native_next() ? native : rival_;
  if (stretches_.length() == 0 || 2 * risk_of_stretch(candidate) > allowance) {
    end_check_unpaid();
    return;
  }
  plan_pace(candidate, num_calls_ + 1, static_cast<std::size_t>(stretches_.length()), false);
}

/// What comes next is not worth more than the native call, so the one that runs must be ahead.
bool Race::is_check_over() const {
  // Nobody has to be ahead for the native call to stay.
  bool const is_enough = standing_ == native
                             ? stretches_.num_pairs() > 0 && stretches_.lead() <= 0
                             : stretches_.lead() >= (is_unchecked_ ? least_lead : 1);
  return is_enough || stake_against_standing() >= Standings::stake_to_take ||
         stretches_.num_pairs() >= most_pairs_of_a_check;
}

int Race::lead_of_standing() const {
  return standing_ == native ? -stretches_.lead() : stretches_.lead();
}

/// Evidence::stake of what speaks for the one that does not run.
double Race::stake_against_standing() const {
  if (standing_ != native) {
    return stretches_.evidence().of_slower();
  }
  bool const is_enough = stretches_.ratio() <= 1 - Standings::least_gain;
  double const stake = stretches_.evidence().of_faster();
  return is_enough ? stake : std::min(stake, 1.0);
}

/// As many calls as the allowance covers; 0 if it covers none.
int Race::fitting_length(double allowance) const {
  double const slower = is_unchecked_ ? 0 : slower_by_trials(standing_ == native ? rival_ : native);
  double const available = allowance / 2 - 2 * exchange_cost_.price();
  if (available <= 0) {
    return 0;
  }
  if (slower * length_of_stretch_ <= available) {
    return length_of_stretch_;
  }
  return static_cast<int>(available / slower);
}

/// What a call may lose to the one that runs. Until that is checked, calls lose nothing to it.
double Race::slower_by_trials(int candidate) const {
  return candidate == standing_
             ? 0
             : std::max(0.0, standings_.worst(candidate) - standings_.middle(standing_));
}

double Race::risk_of_stretch(int candidate) const {
  double const slower = is_unchecked_ ? 0 : slower_by_trials(candidate);
  double const by_last_pair = candidate == native ? 0 : stretches_.last_excess();
  return 2 * exchange_cost_.price() + std::max({0.0, by_last_pair, slower * stretches_.length()});
}

/// What a call takes from end to end is taken off once, so that what is left is the pace, however
/// long the way to the last rank is. It is lost where the exchange stops ranks that run ahead.
double Race::note_stretch(double seconds) {
  int const candidate = stretches_.is_native_next() ? native : rival_;
  double const calls = stretches_.length();
  double const alone = one_call(candidate);
  bool const is_alone = stretches_.length() == 1;
  double const others = is_alone ? seconds : std::max(0.0, seconds - alone);
  double const excess = stretches_.note(others);
  double const usual = standings_.middle(native);
  bool const is_close = seconds <= closest * calls * usual;
  double const stopped = is_alone ? 0 : std::max(0.0, alone - others / (calls - 1));
  bool const may_lose = candidate == native && standing_ != native && !is_unchecked_;
  double const lost = may_lose ? calls * (usual - standings_.middle(standing_)) : 0;
  return std::max(0.0, lost) + (is_close ? excess + stopped : 0);
}

/// Evidence that speaks for what runs is forgotten, so that a change is seen at any time: an
/// e-detector [shin2024].
void Race::finish_check() {
  bool const is_beaten = stake_against_standing() >= Standings::stake_to_take;
  bool const is_ahead = lead_of_standing() > 0;
  if (is_beaten) {
    change_sides();
    return;
  }
  if (is_ahead) {
    stretches_.start_again();
  }
  length_of_stretch_ = std::min(2 * length_of_stretch_, Stretches::greatest_length);
  settle(standing_);
}

/// A candidate that is behind, or was never checked, does not stay for want of allowance. Few pairs
/// of stretches do not tell whether it is slower, so the next run goes on where this one ends.
void Race::end_check_unpaid() {
  bool const is_behind = standing_ != native && stretches_.lead() < 0;
  if (is_behind && stake_against_standing() >= Standings::stake_to_give_up) {
    change_sides();
  } else {
    settle(is_behind || is_unchecked_ ? native : standing_);
  }
}

void Race::change_sides() {
  bool const is_dropped = standing_ != native;
  int const num_pairs = stretches_.evidence().num_pairs();
  stretches_.start_again();
  length_of_stretch_ = Stretches::usual_length;
  is_slower_in_stretches_ = is_dropped;
  if (!outcome_.candidates.empty()) {
    outcome_.candidates[static_cast<std::size_t>(rival_)].is_out = is_dropped;
  }
  settle(is_dropped ? native : rival_);
  num_pairs_ = num_pairs;
}

}  // namespace espalier::learn
