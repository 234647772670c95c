// SPDX-License-Identifier: Apache-2.0

/// @file
/// The part of a race whose trials are of several calls, so that their times are those of a loop.

#include <algorithm>
#include <cmath>

#include "espalier/learn/race.hpp"

namespace espalier::learn {
namespace {

/// Of trials that share an exchange, but for the first round, which warms up.
constexpr std::size_t calls_of_warm_trial = 4;
/// Native calls follow each other closely if they come at intervals of at most so many of them.
constexpr double calls_of_an_interval = 2;
/// What a call takes from end to end is to be a small part of a stretch.
constexpr double calls_from_end_to_end = 2;
/// More are not needed where they take as long as a long trial.
constexpr double calls_of_long_stretch = 4;

}  // namespace

void Race::set_part(Turn& turn) const noexcept {
  turn.adds_up = true;
  if (planned_.form == Form::round) {
    std::size_t const part =
        static_cast<std::size_t>(num_calls_ - stretch_begin_) / planned_.num_calls;
    turn.part = static_cast<int>(part);
    turn.candidate = round_[part];
  }
}

/// The ranks meet in each call, and calls are short.
bool Race::may_share_exchange() const {
  return ranks_meet_ && standings_.is_short();
}

/// @return false if trials may not share an exchange, a candidate looks hopeless,
/// or the round may lose more than is allowed.
bool Race::plan_round(double allowance) {
  std::size_t const num_calls = is_warm_ ? calls_of_warm_trial : 1;
  round_.clear();
  double losses = 0;
  bool is_any_hopeless = false;
  for (int const candidate : order_) {
    if (candidate == native || standings_.is_in(candidate)) {
      round_.push_back(candidate);
      losses += static_cast<double>(num_calls) * excess(candidate);
      is_any_hopeless = is_any_hopeless || standings_.looks_hopeless(candidate);
    }
  }
  bool const is_possible = stage_ == Stage::racing && may_share_exchange() && !is_any_hopeless &&
                           round_.size() <= most_parts &&
                           2 * (exchange_cost_.price() + losses) <= allowance;
  if (!is_possible) {
    return false;
  }
  planned_ = {.counts = true, .form = Form::round, .num_calls = num_calls};
  stretch_begin_ = num_calls_ + 1;
  next_trial_ = num_calls_ + static_cast<std::int64_t>(num_calls * round_.size());
  pause_ = 1;
  return true;
}

/// The times of all candidates came with the exchange behind the last of them.
double Race::take_round(Words const& agreed, Own const& own) {
  double lost = 0;
  for (std::size_t part = 0; part < round_.size(); ++part) {
    last_ = planned_;
    if (own.refused_parts.test(part)) {
      refuse(round_[part]);
    } else {
      lost += take_time(round_[part], agreed.parts[part], planned_.num_calls);
    }
  }
  last_ = planned_;
  std::rotate(order_.begin(), order_.begin() + 1, order_.end());
  position_ = 0;
  is_warm_ = true;
  finish_round();
  return lost;
}

/// The call before the round ends with an exchange, so that no rank is ahead when it begins. Long
/// calls do not wait: a program may make only a few of them in each run, and what the first of all
/// took may be much less than what others take.
bool Race::waits_for_share(double allowance) {
  constexpr double most = 1e15;  // which is never
  double const share_of_call = share_ * seconds(standing_);
  if (stage_ != Stage::racing || standings_.is_long() || !(share_of_call > 0)) {
    return false;
  }
  double const number =
      std::min(std::ceil((lost_ + loss_of_round(allowance)) / share_of_call), most);
  if (number <= static_cast<double>(num_calls_ + 1)) {
    return false;
  }
  planned_ = {.candidate = native};
  next_trial_ = static_cast<std::int64_t>(number);
  has_waited_ = true;
  return true;
}

/// What the rest of the round is expected to lose, with its exchanges and the one before it.
double Race::loss_of_round(double allowance) const {
  double const price = known_price();
  bool const shares_exchange = may_share_exchange();
  std::size_t const usual = shares_exchange && is_warm_ ? calls_of_warm_trial : 1;
  auto const calls = static_cast<double>(wants_pace() ? calls_of_pace_ : usual);
  double loss = shares_exchange ? 2 * price : price;
  for (std::size_t i = position_; i < order_.size(); ++i) {
    int const candidate = order_[i];
    if (takes_part(candidate, allowance)) {
      loss += (shares_exchange ? 0 : price) + calls * expected_excess(candidate);
    }
  }
  return loss;
}

/// What a call is expected to take longer than those that run anyway, not at worst. In a loop, a
/// candidate that is twice as fast alone is not expected to be slower.
double Race::expected_excess(int candidate) const {
  constexpr double of_unknown = 0.5;
  double const usual = standings_.middle(standing_);
  if (standings_.num_times(candidate) > 0) {
    return std::max(0.0, standings_.middle(candidate) - usual);
  }
  if (loop_ == Loop::close) {
    double const alone = one_calls_[static_cast<std::size_t>(candidate)];
    double const usual_alone = one_calls_[static_cast<std::size_t>(standing_)];
    if (alone > 0 && usual_alone > 0) {
      return usual * std::max(0.0, alone / usual_alone - 1);
    }
  }
  return std::min(of_unknown * usual, excess(candidate));
}

void Race::plan_pace(int candidate, std::int64_t first_call, std::size_t num_calls, bool counts) {
  planned_ = {
      .candidate = candidate, .counts = counts, .form = Form::stretch, .num_calls = num_calls
  };
  stretch_begin_ = first_call;
  next_trial_ = first_call + static_cast<std::int64_t>(num_calls) - 1;
}

/// @param seconds  of the last stretch, with its exchange
/// @return what it lost
double Race::take_pace(double seconds) {
  int const candidate = last_.candidate;
  auto const calls = static_cast<double>(last_.num_calls);
  double const alone = one_call(candidate);
  double const pace = std::max(0.0, seconds - alone) / (calls - 1) + exchange_cost_.shortest();
  if (loop_ == Loop::unknown) {
    take_first_pace(pace);
    return stopped();
  }
  double const usual = standings_.middle(standing_);
  standings_.note(candidate, pace);
  if (last_.counts) {
    seconds_[static_cast<std::size_t>(candidate)] = pace;
  }
  double const lost = candidate == standing_ ? 0 : calls * std::max(0.0, pace - usual);
  return stopped() + lost;
}

/// In a loop, what calls take from end to end says nothing of their pace.
void Race::take_first_pace(double pace) {
  double const alone = standings_.middle(native);
  loop_ = pace <= calls_of_an_interval * alone ? Loop::close : Loop::none;
  if (loop_ == Loop::none) {
    return;
  }
  one_calls_ = {alone};
  standings_.forget_times(native);
  standings_.note(native, pace);
  double const call =
      std::max(pace - exchange_cost_.shortest(), alone / Stretches::greatest_length);
  double const least = std::clamp<double>(
      std::ceil(Standings::long_trial / call), calls_of_long_stretch, Stretches::usual_length
  );
  double const calls = std::ceil(calls_from_end_to_end * alone / call);
  try_by_stretches(
      static_cast<std::size_t>(std::clamp<double>(calls, least, Stretches::greatest_length))
  );
}

void Race::try_by_stretches(std::size_t num_calls) noexcept {
  calls_of_pace_ = num_calls;
  standings_.let_trials_be_stretches(num_calls);
}

/// The shortest one: it may have been the first of all, which takes longer.
void Race::take_one_call(int candidate, double seconds) {
  double& known = one_calls_[static_cast<std::size_t>(candidate)];
  known = known > 0 ? std::min(known, seconds) : seconds;
}

/// Seconds from end to end, with an exchange. In a loop no candidate's time is taken to be longer
/// than that of the native call: it comes from fewer calls, of which the first one was cold.
double Race::one_call(int candidate) const {
  if (loop_ != Loop::close) {
    return standings_.middle(candidate);
  }
  double const of_native = one_calls_.front();
  double const own = one_calls_[static_cast<std::size_t>(candidate)];
  return own > 0 && of_native > 0 ? std::min(own, of_native) : std::max(own, of_native);
}

/// Of a call in a loop that has no pace yet, what it took from end to end is the worst.
double Race::worst_pace(int candidate) const {
  bool const has_pace = loop_ != Loop::close || standings_.num_times(candidate) > 0;
  double const alone = has_pace ? 0 : one_calls_[static_cast<std::size_t>(candidate)];
  return alone > 0 ? alone : standings_.worst(candidate);
}

bool Race::wants_pace() const {
  return stage_ == Stage::racing && loop_ == Loop::close && is_warm_;
}

/// Where each trial has an exchange that is not small beside it, all candidates run until a round
/// counts, and then the fastest of them until it has lost.
bool Race::is_resting(int candidate) const {
  int const fastest = standings_.leader();
  return stage_ == Stage::racing && !standings_.is_long() && standings_.num_rounds() > 0 &&
         fastest != native && candidate != fastest;
}

bool Race::takes_part(int candidate, double allowance) const {
  return candidate == native || (standings_.is_in(candidate) && !is_resting(candidate) &&
                                 !is_left_out(candidate, allowance));
}

/// Others go on without a candidate of which a trial would lose too much.
bool Race::is_left_out(int candidate, double allowance) const {
  return stage_ == Stage::racing && candidate != standing_ &&
         2 * risk(candidate) + reserve() > allowance;
}

bool Race::is_nothing_affordable(double allowance) const {
  return stage_ == Stage::racing && std::ranges::all_of(order_, [&](int candidate) {
           return candidate == native || !standings_.is_in(candidate) ||
                  is_left_out(candidate, allowance);
         });
}

/// The next trial of the round may be any of those that are left. A long native call may cost more
/// than there is before a candidate has saved it.
void Race::prefer_affordable(double allowance) {
  if (stage_ != Stage::racing || !standings_.is_long()) {
    return;
  }
  auto const next = order_.begin() + static_cast<std::ptrdiff_t>(position_);
  auto const found = std::find_if(next, order_.end(), [&](int candidate) {
    return takes_part(candidate, allowance) && is_affordable(candidate, allowance);
  });
  if (found != order_.end()) {
    std::iter_swap(next, found);
  }
}

/// What runs anyway may lose what an exchange behind it stops, and not more.
bool Race::is_affordable(int candidate, double allowance) const {
  double const caution = candidate == standing_ ? 1 : 2;
  return caution * risk(candidate) + reserve() <= allowance;
}

/// Seconds that a loop loses where an exchange stops the ranks that run ahead.
double Race::stopped() const {
  return loop_ == Loop::close ? std::max(0.0, one_call(standing_) - standings_.middle(standing_))
                              : 0;
}

/// Seconds that are lost outside of loops where an exchange stops the ranks that run ahead in a
/// call that takes so long from end to end. These wait for most of it, and nobody knows what they
/// would have done meanwhile. They may have waited elsewhere, or sent what comes next: PETSc with
/// MUMPS, which broadcasts 160 KB one after the other, lost a quarter.
double Race::stopped_behind(double seconds) const {
  return may_run_ahead() ? part_stopped * std::max(0.0, seconds) : 0;
}

/// Behind a call of a few bytes ranks may wait until much larger messages of other calls are there,
/// which they would have run ahead of. In what may be a loop, they wait for earlier calls of it.
/// @param call  seconds of one call
/// @return what was lost by that
double Race::take_wait(Words const& agreed, double call) {
  if (!ranks_run_ahead_ || loop_ != Loop::none || !has_exchange_) {
    return 0;
  }
  double const waited = -agreed.minus_exchange - agreed.exchange;
  double const for_others = std::max(0.0, waited - std::max(0.0, call));
  waited_for_others_ = waited_for_others_ > 0 ? (waited_for_others_ + for_others) / 2 : for_others;
  return part_of_others * for_others;
}

/// As stopped_behind() for the trial that was just made, until its time is known: of what the ranks
/// waited for each other in it, not all is taken to be lost.
double Race::stopped_now() const {
  constexpr double most = 2;
  double const usual = seconds(standing_);
  return stopped_behind(usual > 0 ? std::min(longest_call_, most * usual) : longest_call_);
}

/// The same for a look at what runs anyway.
double Race::stopped_by_look() const {
  return stopped_behind(usual_call());
}

/// Seconds of what runs anyway; as long as none was timed, those of the last one, with all that its
/// ranks waited for each other.
double Race::usual_call() const {
  double const usual = seconds(standing_);
  return usual > 0 ? usual : longest_call_;
}

}  // namespace espalier::learn
