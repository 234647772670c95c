// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/race.hpp"

#include <algorithm>
#include <optional>

namespace espalier::learn {
namespace {

constexpr std::size_t num_baseline_times = 2;
constexpr std::int64_t longest_pause = std::int64_t{1} << 16U;
constexpr std::int64_t patience_after_race = 64;
constexpr std::int64_t patience_factor = 4;
/// Pairs of stretches of a check that comes to no end.
constexpr int most_pairs_of_a_check = 16;
/// Where the stretches of the native call take more than so many times as long as its trials, the
/// program does other things in between, which differ too much to be charged.
constexpr double closest = 4;

}  // namespace

Race Race::taken(std::int64_t calls_before_check) {
  Race race;
  race.standings_.enter(std::vector<double>{0});
  race.standing_ = 1;
  race.rival_ = 1;
  race.stage_ = Stage::settled;
  race.patience_ = calls_before_check;
  race.check_later();
  return race;
}

Race Race::resumed(Record const& record, double allowance, double error_of_model) {
  Race race;
  race.standings_.resume(record);
  race.standings_.know_error_of_model(error_of_model);
  race.stage_ = Stage::racing;
  race.begin_round();
  race.go_on_with_round(record);
  if (std::optional<int> const decision = race.standings_.decision()) {
    race.decide(*decision);
  } else {
    race.plan_next_of_round(allowance);
  }
  return race;
}

/// Those that ran already come first. Else the order is that of the next round, so that in a
/// program of few calls not always the same one gets the first of them, which may be larger or
/// colder.
void Race::go_on_with_round(Record const& record) {
  auto const num_turns = standings_.num_rounds() % std::ssize(order_);
  std::rotate(order_.begin(), order_.begin() + num_turns, order_.end());
  auto const seconds_of = [&](int candidate) {
    return record.candidates[static_cast<std::size_t>(candidate)].in_round;
  };
  auto const others = std::stable_partition(order_.begin(), order_.end(), [&](int candidate) {
    return seconds_of(candidate) > 0;
  });
  position_ = static_cast<std::size_t>(others - order_.begin());
  for (std::size_t i = 0; i < position_; ++i) {
    seconds_[static_cast<std::size_t>(order_[i])] = seconds_of(order_[i]);
  }
}

Race::Words Race::words(double allowance) const noexcept {
  Words words{.whole_exchange = whole_exchange_, .allowance = allowance};
  if (has_last_) {
    words.trial = own_.trial;
    words.exchange = own_.exchange;
  }
  return words;
}

double Race::conclude(Words const& agreed, Own const& own) {
  stage_ = stage_ == Stage::settled ? Stage::checking : stage_;
  Stage const stage = stage_;
  Trial const made = planned_;
  bool const is_whole_timed = wants_whole_exchange();
  double const lost = pay(agreed, is_whole_timed) + take(agreed);
  last_ = made;
  last_.counts = made.counts && stage_ == stage;
  has_last_ = true;
  own_ = own;
  whole_exchange_ = is_whole_timed ? own.whole_exchange : Words{}.whole_exchange;
  if (own.was_refused) {
    refuse(made.candidate);
    has_last_ = !made.is_stretch;  // whose time is that of many calls
  }
  if (!last_.is_stretch) {
    plan(agreed.allowance - lost);
  }
  return lost;
}

double Race::finish(Words const& agreed) {
  double const lost = pay(agreed, false) + take(agreed);
  has_last_ = false;
  whole_exchange_ = Words{}.whole_exchange;
  if (stage_ == Stage::pacing) {
    plan(agreed.allowance - lost);
  }
  return lost;
}

Record Race::record() const {
  return stage_ == Stage::racing ? standings_.record(seconds_) : outcome_;
}

/// What was timed was the native call.
void Race::refuse(int candidate) {
  standings_.refuse(candidate);
  standing_ = candidate == standing_ ? native : standing_;
  last_ = {};
}

/// @param is_followed  as of ExchangeCost::count(), of the exchange of these words
double Race::pay(Words const& agreed, bool is_followed) {
  exchange_cost_.count(is_followed);
  return exchange_cost_.pay(agreed.exchange, agreed.whole_exchange);
}

/// Notes the time of the last trial, and ends the round that it may have ended.
double Race::take(Words const& agreed) {
  if (!has_last_) {
    return 0;
  }
  if (last_.is_stretch) {
    return note_stretch(agreed.trial);
  }
  // What runs anyway may take longer than usual, but loses nothing.
  double const usual = standings_.middle(standing_);
  bool const may_lose = last_.candidate != standing_ && usual > 0;
  double const lost = may_lose ? std::max(0.0, agreed.trial - usual) : 0.0;
  standings_.note(last_.candidate, agreed.trial);
  if (last_.counts) {
    seconds_[static_cast<std::size_t>(last_.candidate)] = agreed.trial;
  }
  if (is_round_over_) {
    finish_round();
  }
  return lost;
}

/// Sets the next trial.
void Race::plan(double allowance) {
  switch (stage_) {
  case Stage::baseline:
    if (standings_.num_times(native) < num_baseline_times) {
      next_trial_ = num_calls_ + 1;
    } else {
      plan_after_baseline(allowance);
    }
    break;
  case Stage::racing:
  case Stage::checking:
    plan_next_of_round(allowance);
    break;
  case Stage::pacing:
    plan_stretch(allowance);
    break;
  case Stage::prepared:
  case Stage::settled:
    break;
  }
}

/// Candidates come in when they are worth it and something may be spent on them.
void Race::plan_after_baseline(double allowance) {
  constexpr double exchanges_of_a_race = 24;
  double const cost = exchanges_of_a_race * exchange_cost_.price();
  double const spent_in_calls = static_cast<double>(num_calls_) * seconds(native);
  if (waits_until_worth_it_ && spent_in_calls < cost) {
    constexpr double most = 1e15;  // which is never
    double const number = seconds(native) > 0 ? std::min(cost / seconds(native), most) : most;
    planned_ = {.candidate = native, .counts = false};
    next_trial_ = std::max(num_calls_, static_cast<std::int64_t>(number)) + 1;
  } else if (allowance > 0) {
    stage_ = Stage::prepared;
  } else {
    look_later();
  }
}

void Race::plan_next_of_round(double allowance) {
  auto const is_out = [&](int candidate) {
    return candidate != native && !standings_.is_in(candidate);
  };
  while (position_ < order_.size() && is_out(order_[position_])) {
    ++position_;
  }
  if (position_ == order_.size() && stage_ == Stage::checking) {
    stage_ = Stage::pacing;
    plan_stretch(allowance);
    return;
  }
  if (position_ == order_.size()) {
    is_round_over_ = true;
    position_ = 0;
    // The order of the next round; its times are cleared when those of this one are complete.
    std::rotate(order_.begin(), order_.begin() + 1, order_.end());
    while (is_out(order_[position_])) {
      ++position_;
    }
  }
  int const candidate = order_[position_];
  if (2 * risk(candidate) + reserve() <= allowance) {
    planned_ = {.candidate = candidate, .counts = true};
    ++position_;
    next_trial_ = num_calls_ + 1;
    pause_ = 1;
  } else if (stage_ == Stage::checking) {
    settle(standing_);
  } else {
    look_later();
  }
}

void Race::enter(std::span<double const> predicted) {
  standings_.enter(predicted);
  stage_ = Stage::racing;
  begin_round();
  planned_ = {.candidate = order_.front(), .counts = true};
  position_ = 1;
  next_trial_ = num_calls_ + 1;
}

void Race::give_up() noexcept {
  stage_ = Stage::settled;
  next_trial_ = never;
}

/// All that may run; first what runs anyway, whose time tells what another one may take.
void Race::begin_round() {
  order_ = {standing_};
  for (int candidate = 0; candidate < standings_.num_candidates(); ++candidate) {
    bool const is_meant = stage_ == Stage::racing || candidate == native || candidate == rival_;
    if (is_meant && candidate != standing_) {
      order_.push_back(candidate);
    }
  }
  position_ = 0;
  is_round_over_ = false;
  seconds_.assign(static_cast<std::size_t>(standings_.num_candidates()), 0.0);
}

void Race::finish_round() {
  is_round_over_ = false;
  standings_.finish_round(seconds_);
  std::ranges::fill(seconds_, 0.0);
  std::optional<int> const decision = standings_.decision();
  if (!decision) {
    return;
  }
  decide(*decision);
  // All ranks have just left an exchange, and all that may run is warm.
  if (*decision != native) {
    stage_ = Stage::pacing;
    is_unchecked_ = true;
  }
}

void Race::decide(int candidate) {
  rival_ = candidate == native ? standings_.leader() : candidate;
  outcome_ = standings_.record(seconds_);
  settle(candidate);
}

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
  planned_ = {.candidate = candidate, .is_stretch = true};
  stretch_begin_ = num_calls_ + 1;
  next_trial_ = num_calls_ + stretches_.length();
}

/// What comes next is not worth more than the native call, so the one that runs must be ahead.
bool Race::is_check_over() const {
  // Nobody has to be ahead for the native call to stay.
  bool const is_enough = standing_ == native ? stretches_.num_pairs() > 0 && stretches_.lead() <= 0
                                             : stretches_.lead() > 0;
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

/// For the check of a winner.
double Race::reserve() const {
  constexpr double exchanges_of_a_check = 8;
  return stage_ == Stage::racing ? exchanges_of_a_check * exchange_cost_.price() : 0;
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
  double const one_call = standings_.middle(candidate);
  bool const is_alone = stretches_.length() == 1;
  double const others = is_alone ? seconds : std::max(0.0, seconds - one_call);
  double const excess = stretches_.note(others);
  double const usual = standings_.middle(native);
  bool const is_close = seconds <= closest * calls * usual;
  double const stopped = is_alone ? 0 : std::max(0.0, one_call - others / (calls - 1));
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

/// The native call is timed for its own sake, to see whether more is allowed by then.
void Race::look_later() {
  planned_ = {.candidate = native, .counts = false};
  next_trial_ = num_calls_ + pause_;
  pause_ = std::min(2 * pause_, longest_pause);
}

void Race::settle(int candidate) {
  bool const is_news = stage_ == Stage::racing || candidate != standing_;
  stage_ = Stage::settled;
  stretches_.end();
  stretch_begin_ = never;
  is_unchecked_ = false;
  standing_ = candidate;
  num_pairs_ = is_news ? standings_.most_pairs() : num_pairs_;
  if (rival_ == native || !standings_.may_run(rival_)) {
    next_trial_ = never;
    return;
  }
  if (is_news) {
    standings_.start_again(rival_);
    patience_ = patience_after_race;
  }
  check_later();
}

void Race::check_later() {
  begin_round();
  planned_ = {.candidate = order_.front(), .counts = true};
  position_ = 1;
  next_trial_ = patience_ > never - num_calls_ ? never : num_calls_ + patience_;
  patience_ = patience_ > never / patience_factor ? never : patience_ * patience_factor;
}

double Race::risk(int candidate) const {
  double const usual = standings_.middle(standing_);
  double const worst = candidate == standing_ ? usual : standings_.worst(candidate);
  return exchange_cost_.price() + std::max(0.0, worst - usual);
}

double Race::seconds(int candidate) const {
  return std::max(0.0, standings_.middle(candidate) - exchange_cost_.shortest());
}

std::size_t Race::memory_bytes() const noexcept {
  return sizeof(*this) - sizeof(standings_) + standings_.memory_bytes() +
         order_.capacity() * sizeof(int) + seconds_.capacity() * sizeof(double);
}

}  // namespace espalier::learn
