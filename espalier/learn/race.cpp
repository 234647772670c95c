// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/race.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "espalier/learn/allowance.hpp"

namespace espalier::learn {
namespace {

constexpr std::size_t num_baseline_times = 2;
/// Who has made so many calls makes many more.
constexpr std::int64_t many_calls = 16;
/// What so many native calls take in a row tells what they take in a loop.
constexpr std::size_t calls_of_look = 4;
/// The longer the first stretch of a loop is, the less does it matter how exactly it is known what
/// a call takes from end to end.
constexpr std::size_t calls_of_first_pace = 16;
constexpr std::int64_t longest_pause = std::int64_t{1} << 16U;
constexpr std::int64_t patience_after_race = 64;
/// What won in a loop needs no check of it, unless it was taken after few pairs.
constexpr std::int64_t patience_in_loop = 256;
constexpr int few_pairs = 4;
constexpr std::int64_t patience_factor = 4;
/// Of what is left: what counts for more, and may be far too much, is made sure of.
constexpr double unsure_part = 0.25;

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

Race Race::resumed(Record const& record, Circumstances const& circumstances) {
  Race race;
  race.ranks_meet_ = circumstances.ranks_meet;
  race.ranks_run_ahead_ = circumstances.ranks_run_ahead;
  race.share_ = circumstances.share;
  race.price_before_ = circumstances.price_of_exchange;
  race.loop_ = record.is_of_loop ? Loop::close : Loop::none;
  race.standings_.resume(record);
  if (record.is_of_loop) {
    race.try_by_stretches(race.calls_of_pace_);
  }
  race.one_calls_.resize(record.candidates.size());
  race.standings_.know_error_of_model(circumstances.error_of_model);
  race.stage_ = Stage::racing;
  race.begin_round();
  race.go_on_with_round(record);
  if (std::optional<int> const decision = race.standings_.decision()) {
    race.decide(*decision);
    if (*decision != native && circumstances.checks_winner && race.needs_check()) {
      race.begin_first_check();
    }
  }
  race.plan(circumstances.allowance);
  return race;
}

/// Those that ran already come first. Else the order is that of the next round, so that in a
/// program of few calls not always the same one gets the first of them, which may be larger or
/// colder. In the first round of long calls the native one comes last: an earlier run has seen what
/// it takes, and there may be only one call of the kind in each run.
void Race::go_on_with_round(Record const& record) {
  int const num_seen = standings_.is_long() ? 1 : 0;
  auto const num_turns = (standings_.num_rounds() + num_seen) % std::ssize(order_);
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

Race::Words Race::words(double allowance, double call, Parts const& parts) const noexcept {
  Words words{
      .whole_exchange = whole_exchange_,
      .allowance = allowance,
      .minus_call = -call,
      .parts = parts,
  };
  if (has_last_) {
    words.trial = own_.trial;
  }
  if (has_exchange_) {
    words.exchange = own_.exchange;
    words.minus_exchange = -own_.exchange;
  }
  return words;
}

double Race::conclude(Words const& agreed, Own const& own) {
  stage_ = stage_ == Stage::settled ? Stage::checking : stage_;
  Stage const stage = stage_;
  Trial made = planned_;
  made.is_after_exchange = num_calls_ - static_cast<std::int64_t>(made.num_calls) == last_exchange_;
  last_exchange_ = num_calls_;
  stretch_begin_ = never;
  longest_call_ = -agreed.minus_call;
  bool const is_whole_timed = wants_whole_exchange(agreed);
  double lost = pay(agreed, is_whole_timed) + take(agreed) - std::exchange(charged_, 0);
  whole_exchange_ = is_whole_timed ? own.whole_exchange : Words{}.whole_exchange;
  own_ = own;
  has_exchange_ = true;
  bool const has_all_times = made.form == Form::round;
  if (has_all_times) {
    lost += stage_ == stage ? take_round(agreed, own) : 0;
    has_last_ = false;
  } else {
    last_ = made;
    last_.counts = made.counts && stage_ == stage;
    has_last_ = true;
    if (own.was_refused) {
      refuse(made.candidate);
      has_last_ = made.form == Form::call;  // else it is the time of many calls
    }
    charged_ = made.form == Form::call ? stopped_now() : 0;
    is_charge_unsure_ = seconds(standing_) <= 0 && charged_ > unsure_part * agreed.allowance;
    lost += charged_;
  }
  lost_ += lost;
  left_ = agreed.allowance - lost + Allowance::share_of_gains * saved_;
  if (has_all_times || !decides_with_words()) {
    plan(wants_words() ? left_ + charged_ : left_);
  }
  return lost;
}

double Race::finish(Words const& agreed) {
  bool const decides = decides_with_words();
  double const lost = pay(agreed, false) + take(agreed) - std::exchange(charged_, 0);
  lost_ += lost;
  has_last_ = false;
  has_exchange_ = false;
  is_charge_unsure_ = false;
  left_ = agreed.allowance - lost + Allowance::share_of_gains * saved_;
  whole_exchange_ = Words{}.whole_exchange;
  bool const was_put_off = stage_ == Stage::racing && !planned_.counts && saved_ > 0;
  if ((decides && stage_ != Stage::settled) || was_put_off) {
    plan(left_);
  }
  return lost;
}

Record Race::record() const {
  return stage_ == Stage::racing ? evidence_so_far() : outcome_;
}

Record Race::evidence_so_far() const {
  Record record = standings_.record(seconds_);
  record.is_of_loop = loop_ == Loop::close;
  return record;
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
  if (last_.form == Form::stretch && stage_ == Stage::pacing) {
    return note_stretch(agreed.trial);
  }
  if (stage_ == Stage::baseline && !is_primed_ && num_calls_ >= many_calls) {
    is_primed_ = true;  // ranks came to this exchange from a loop: it has seen what they owed
    return 0;
  }
  if (loop_ == Loop::close && !last_.is_after_exchange) {
    return stopped();  // the rank that came last may have had to do what others did before
  }
  double const seconds = agreed.trial - exchange_cost_.shortest();
  double lost = take_wait(agreed, seconds / static_cast<double>(last_.num_calls));
  lost += last_.form == Form::stretch ? take_pace(agreed.trial)
                                      : take_time(last_.candidate, seconds, last_.num_calls);
  if (is_round_over_) {
    finish_round();
  }
  return lost;
}

/// @param seconds  of all calls, without the exchange
/// @return what they lost. What runs anyway may take longer than usual, but loses nothing beyond
/// what the exchange stopped.
double Race::take_time(int candidate, double seconds, std::size_t num_calls) {
  double const usual = standings_.middle(standing_);
  auto const calls = static_cast<double>(num_calls);
  double const of_call = seconds / calls + exchange_cost_.shortest();
  if (loop_ == Loop::close) {
    take_one_call(candidate, of_call);
    return std::max(0.0, of_call - usual);
  }
  bool const may_lose = candidate != standing_ && usual > 0;
  standings_.note(candidate, of_call);
  if (last_.counts) {
    seconds_[static_cast<std::size_t>(candidate)] = of_call;
  }
  double const longer = may_lose ? calls * (of_call - usual) : 0.0;
  saved_ += standings_.is_long() ? std::max(0.0, -longer) : 0.0;
  return std::max(0.0, longer + stopped_behind(seconds / calls));
}

/// Sets the next trial.
void Race::plan(double allowance) {
  switch (stage_) {
  case Stage::baseline:
    if (allowance <= 0 || 2 * (stopped_by_look() + lost_for_others()) > allowance) {
      look_later(allowance);
    } else if (standings_.num_times(native) + (is_primed_ ? 1 : 0) < num_baseline_times) {
      look_at_native(num_calls_ + 1);
    } else if (wants_first_pace()) {
      plan_first_pace();
    } else {
      plan_after_baseline();
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

/// A call that takes long from end to end may be one of a loop, in which it takes a fraction of
/// that.
bool Race::wants_first_pace() const {
  bool const may_be_of_loop = standings_.is_short() || num_calls_ + 1 >= many_calls;
  return !ranks_meet_ && loop_ == Loop::unknown && may_be_of_loop;
}

/// The first one of a loop begins behind an exchange, as all do.
void Race::plan_first_pace() {
  if (num_calls_ + 1 < many_calls) {
    look_at_native(many_calls - 1);
  } else {
    plan_pace(native, num_calls_ + 1, calls_of_first_pace, false);
  }
}

/// Candidates come in when they are worth it and something may be spent on them.
void Race::plan_after_baseline() {
  double const cost = usual_exchanges(ranks_meet_) * price_of_exchange();
  double const spent_in_calls = static_cast<double>(num_calls_) * seconds(native);
  if (waits_until_worth_it_ && spent_in_calls < cost) {
    constexpr double most = 1e15;  // which is never
    double const number = seconds(native) > 0 ? std::min(cost / seconds(native), most) : most;
    look_at_native(std::max(num_calls_, static_cast<std::int64_t>(number)) + 1);
  } else {
    stage_ = Stage::prepared;
  }
}

void Race::plan_next_of_round(double allowance) {
  auto const is_out = [&](int candidate) { return !takes_part(candidate, allowance); };
  bool const has_waited = std::exchange(has_waited_, false);
  bool begins_round = position_ == 0;
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
    begins_round = true;
    is_warm_ = true;
    position_ = 0;
    // The order of the next round; its times are cleared when those of this one are complete.
    std::rotate(order_.begin(), order_.begin() + 1, order_.end());
    while (is_out(order_[position_])) {
      ++position_;
    }
  }
  if (begins_round && is_nothing_affordable(allowance)) {
    look_later(allowance);
    return;
  }
  if (!has_waited && (begins_round || num_calls_ == 0) && waits_for_share(allowance)) {
    return;
  }
  if (begins_round && plan_round(allowance)) {
    return;
  }
  prefer_affordable(allowance);
  int const candidate = order_[position_];
  if (is_affordable(candidate, allowance)) {
    plan_trial_of(candidate);
    ++position_;
    pause_ = 1;
  } else if (stage_ == Stage::checking) {
    settle(standing_);
  } else {
    look_later(allowance);
  }
}

void Race::plan_trial_of(int candidate) {
  if (wants_pace()) {
    plan_pace(candidate, num_calls_ + 1, calls_of_pace_, true);
  } else {
    planned_ = {.candidate = candidate, .counts = true};
    next_trial_ = num_calls_ + 1;
  }
}

void Race::enter(std::span<double const> predicted) {
  standings_.enter(predicted);
  one_calls_.resize(predicted.size() + 1);
  stage_ = Stage::racing;
  begin_round();
  plan_next_of_round(left_);
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
  is_warm_ = false;
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
  // All ranks have just left an exchange, and all that may run is warm. What was found in rounds
  // that share an exchange was found in a loop.
  if (*decision != native && last_.form == Form::call) {
    begin_first_check();
  }
}

/// What won in trials of single calls may lose in a loop. Long calls are rare, and won as they are.
bool Race::needs_check() const {
  return loop_ == Loop::none && !ranks_meet_ && !standings_.is_long();
}

/// Before the winner stays.
void Race::begin_first_check() {
  stage_ = Stage::pacing;
  is_unchecked_ = true;
}

void Race::decide(int candidate) {
  rival_ = candidate == native ? standings_.leader() : candidate;
  outcome_ = evidence_so_far();
  settle(candidate);
}

/// The native call is timed for its own sake, to see whether more is allowed by then.
void Race::look_later(double allowance) {
  if (2 * known_price() >= allowance) {
    pause_ = std::max(pause_, calls_until_look_is_cheap());
  }
  look_at_native(num_calls_ + pause_);
  pause_ = std::min(2 * pause_, longest_pause);
}

/// What the exchange behind it costs is to be a small part of what they take.
std::int64_t Race::calls_until_look_is_cheap() const {
  constexpr double small_part = 0.01;
  constexpr double of_unknown = 16;
  double const usual = usual_call();
  double const number = usual > 0 ? known_price() / (small_part * usual) : of_unknown;
  return static_cast<std::int64_t>(std::min(number, static_cast<double>(longest_pause)));
}

void Race::look_at_native(std::int64_t first_call) {
  bool const may_run_ahead = !ranks_meet_ && loop_ == Loop::unknown;
  bool const are_several = first_call >= many_calls && standings_.is_short() && !may_run_ahead;
  if (are_several && loop_ == Loop::close) {
    plan_pace(native, first_call, calls_of_pace_, false);
    return;
  }
  planned_ = {
      .candidate = native,
      .form = are_several ? Form::calls : Form::call,
      .num_calls = are_several ? calls_of_look : 1,
  };
  stretch_begin_ = are_several ? first_call : never;
  next_trial_ = first_call + static_cast<std::int64_t>(planned_.num_calls) - 1;
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
    bool const is_of_loop = last_.counts && last_.form != Form::call;
    bool const is_sure = is_of_loop && (candidate == native || num_pairs_ > few_pairs);
    patience_ = is_sure ? patience_in_loop : patience_after_race;
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

/// For the check of a winner.
double Race::reserve() const {
  constexpr double exchanges_of_a_check = 8;
  return stage_ == Stage::racing ? exchanges_of_a_check * exchange_cost_.price() : 0;
}

/// Of the next trial of a candidate.
double Race::risk(int candidate) const {
  auto const calls = static_cast<double>(wants_pace() ? calls_of_pace_ : 1);
  double const worst = worst_of(candidate);
  double const longer = calls * (worst - standings_.middle(standing_));
  double const stopped = stopped_behind(worst - exchange_cost_.shortest());
  return price_of_exchange() + std::max(0.0, longer + stopped);
}

/// What a call may take longer than those that run anyway.
double Race::excess(int candidate) const {
  return std::max(0.0, worst_of(candidate) - standings_.middle(standing_));
}

double Race::worst_of(int candidate) const {
  return candidate == standing_ ? standings_.middle(standing_) : worst_pace(candidate);
}

double Race::seconds(int candidate) const {
  return std::max(0.0, standings_.middle(candidate) - exchange_cost_.shortest());
}

std::size_t Race::memory_bytes() const noexcept {
  return sizeof(*this) - sizeof(standings_) + standings_.memory_bytes() +
         order_.capacity() * sizeof(int) +
         (seconds_.capacity() + one_calls_.capacity()) * sizeof(double);
}

}  // namespace espalier::learn
