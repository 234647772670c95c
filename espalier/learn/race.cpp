// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/race.hpp"

#include <algorithm>
#include <optional>

namespace espalier::learn {
namespace {

constexpr std::size_t num_baseline_times = 2;
constexpr std::int64_t longest_pause = std::int64_t{1} << 16U;
constexpr std::int64_t first_patience = 8;
constexpr std::int64_t patience_with_rule = 32;
constexpr std::int64_t patience_after_race = 64;
constexpr std::int64_t patience_factor = 4;
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr int rounds_of_a_check = 2;

}  // namespace

Race Race::taken() {
  Race race;
  race.standings_.enter(std::vector<double>{0});
  race.standing_ = 1;
  race.rival_ = 1;
  race.stage_ = Stage::settled;
  race.patience_ = patience_with_rule;
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

/// Those that ran already come first.
void Race::go_on_with_round(Record const& record) {
  auto const seconds_of = [&](int candidate) {
    return record.candidates[static_cast<std::size_t>(candidate)].in_round;
  };
  auto const others = std::ranges::stable_partition(order_, [&](int candidate) {
    return seconds_of(candidate) > 0;
  });
  position_ = static_cast<std::size_t>(others.begin() - order_.begin());
  for (std::size_t i = 0; i < position_; ++i) {
    seconds_[static_cast<std::size_t>(order_[i])] = seconds_of(order_[i]);
  }
}

Race::Words Race::words(double allowance) const noexcept {
  return has_last_ ? Words{.trial = own_.trial, .exchange = own_.exchange, .allowance = allowance}
                   : Words{.allowance = allowance};
}

double Race::conclude(Words const& agreed, Own const& own) {
  Trial const made = planned_;
  stage_ = stage_ == Stage::settled ? Stage::checking : stage_;
  double const lost = take(agreed);
  last_ = {.candidate = made.candidate, .counts = made.counts && stage_ != Stage::settled};
  has_last_ = true;
  own_ = own;
  if (own.was_refused) {
    refuse(made.candidate);
  }
  plan(agreed.allowance - lost);
  return lost;
}

double Race::finish(Words const& agreed) {
  double const lost = take(agreed);
  has_last_ = false;
  return lost;
}

Record Race::record() const {
  return stage_ == Stage::racing ? standings_.record(seconds_) : outcome_;
}

/// What was timed was the native call.
void Race::refuse(int candidate) {
  standings_.refuse(candidate);
  standing_ = candidate == standing_ ? native : standing_;
  last_ = {.candidate = native, .counts = false};
}

/// Notes the time of the last trial, and ends the round that it may have ended.
double Race::take(Words const& agreed) {
  if (!has_last_) {
    return 0;
  }
  // What runs anyway may take longer than usual, but loses nothing.
  double const usual = standings_.middle(standing_);
  bool const may_lose = last_.candidate != standing_ && usual > 0;
  double const lost = agreed.exchange + (may_lose ? std::max(0.0, agreed.trial - usual) : 0.0);
  exchange_ = std::min(exchange_, agreed.exchange);
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
    } else if (allowance > 0) {
      stage_ = Stage::prepared;
    } else {
      look_later();
    }
    break;
  case Stage::racing:
  case Stage::checking:
    plan_next_of_round(allowance);
    break;
  case Stage::prepared:
  case Stage::settled:
    break;
  }
}

void Race::plan_next_of_round(double allowance) {
  auto const is_out = [&](int candidate) {
    return candidate != native && !standings_.is_in(candidate);
  };
  while (position_ < order_.size() && is_out(order_[position_])) {
    ++position_;
  }
  if (position_ == order_.size()) {
    is_round_over_ = true;
    position_ = 0;
    // The order of the next round; its times are cleared when those of this one are complete.
    std::ranges::rotate(order_, order_.begin() + 1);
    while (is_out(order_[position_])) {
      ++position_;
    }
  }
  int const candidate = order_[position_];
  if (2 * risk(candidate) <= allowance) {
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
  num_rounds_ = 0;
  is_round_over_ = false;
  seconds_.assign(static_cast<std::size_t>(standings_.num_candidates()), 0.0);
}

void Race::finish_round() {
  is_round_over_ = false;
  ++num_rounds_;
  standings_.finish_round(seconds_);
  std::ranges::fill(seconds_, 0.0);
  if (stage_ == Stage::racing) {
    if (std::optional<int> const decision = standings_.decision()) {
      decide(*decision);
    }
  } else if (num_rounds_ == rounds_of_a_check) {
    finish_check();
  }
}

void Race::decide(int candidate) {
  rival_ = candidate == native ? standings_.leader() : candidate;
  outcome_ = standings_.record(seconds_);
  settle(candidate);
}

/// Evidence that speaks for what runs is forgotten, so that a change is seen at any time: an
/// e-detector [shin2024]. Where it speaks against that, the next check comes soon.
void Race::finish_check() {
  int const other = standing_ == native ? rival_ : native;
  double const stake = standings_.stake_against(standing_, rival_);
  if (stake >= Standings::stake_to_take) {
    settle(other);
    return;
  }
  if (stake < 1) {
    standings_.start_again(rival_);
  } else if (stake > 1) {
    patience_ = first_patience;
  }
  settle(standing_);
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
  return exchange_seconds() + std::max(0.0, worst - usual);
}

double Race::seconds(int candidate) const {
  return std::max(0.0, standings_.middle(candidate) - exchange_seconds());
}

std::size_t Race::memory_bytes() const noexcept {
  return sizeof(*this) - sizeof(standings_) + standings_.memory_bytes() +
         order_.capacity() * sizeof(int) + seconds_.capacity() * sizeof(double);
}

}  // namespace espalier::learn
