// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/tournament.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "espalier/base/error.hpp"

namespace espalier::learn {

Tournament::Tournament(int num_candidates, double seconds) : seconds_(seconds) {
  if (num_candidates < 1 || !(seconds > 0)) {
    throw Error(
        ErrorCode::argument,
        "expected at least one candidate and a time above 0, got " +
            std::to_string(num_candidates) + " and " + std::to_string(seconds) + " s"
    );
  }
  fastest_.assign(index(num_candidates), unknown);
  order_.resize(index(num_candidates));
  std::iota(order_.begin(), order_.end(), incumbent);
  if (num_candidates == 1) {
    decide(incumbent);
  }
}

/// Pairs of the duel in turn begin with the one and the other.
int Tournament::next() const {
  if (stage_ == Stage::halving) {
    return order_[position_];
  }
  int const place = num_in_duel_ % 4;
  return place == 0 || place == 3 ? challenger_ : incumbent;
}

void Tournament::note(double seconds, double elapsed) {
  ++num_runs_;
  if (stage_ == Stage::halving) {
    note_in_round(seconds);
    if (stage_ == Stage::halving && elapsed >= share_of_halving * seconds_) {
      begin_duel();
    }
  } else {
    note_in_pair(seconds);
  }
  if (elapsed >= seconds_) {
    stage_ = Stage::over;
  }
}

void Tournament::refuse() {
  bool const has_run = stage_ != Stage::halving || num_counted_ > 1 || num_in_turn_ > 0;
  if (has_run || next() == incumbent) {
    throw Error(
        ErrorCode::argument, "expected a candidate that never ran to be refused, got one that did"
    );
  }
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(position_));
  if (position_ == order_.size()) {
    finish_round();
  }
}

void Tournament::note_in_round(double seconds) {
  if (num_in_turn_ > 0) {
    double& fastest = fastest_[index(next())];
    fastest = std::min(fastest, seconds);
  }
  ++num_in_turn_;
  if (num_in_turn_ > num_counted_) {
    next_in_round();
  }
}

void Tournament::next_in_round() {
  num_in_turn_ = 0;
  ++position_;
  if (position_ == order_.size()) {
    finish_round();
  }
}

/// The faster half, rounded up, goes on, with twice as many runs. Equal times keep their order.
void Tournament::finish_round() {
  std::ranges::stable_sort(order_, {}, [this](int candidate) { return fastest(candidate); });
  order_.resize((order_.size() + 1) / 2);
  if (order_.size() == 1) {
    begin_duel();
    return;
  }
  position_ = 0;
  num_counted_ *= 2;
}

void Tournament::begin_duel() {
  challenger_ =
      *std::ranges::min_element(order_, {}, [this](int candidate) { return fastest(candidate); });
  if (challenger_ != incumbent && fastest(challenger_) < unknown) {
    stage_ = Stage::duel;
    return;
  }
  stage_ = Stage::over;
  is_decided_ = order_.size() == 1;
}

/// The first pair warms up.
void Tournament::note_in_pair(double seconds) {
  bool const is_of_challenger = next() == challenger_;
  bool const is_second = num_in_duel_ % 2 == 1;
  bool const counts = num_in_duel_ >= 2;
  ++num_in_duel_;
  if (!is_second) {
    first_of_pair_ = seconds;
    return;
  }
  double const challenger = is_of_challenger ? seconds : first_of_pair_;
  double const other = is_of_challenger ? first_of_pair_ : seconds;
  if (counts) {
    evidence_.add(challenger, other * (1 - least_gain));
    finish_pair();
  }
}

void Tournament::finish_pair() {
  if (evidence_.of_faster() >= Standings::stake_to_take) {
    decide(challenger_);
  } else if (evidence_.of_slower() >= Standings::stake_to_take ||
             evidence_.num_pairs() == Evidence::most_pairs) {
    decide(incumbent);
  }
}

void Tournament::decide(int winner) noexcept {
  winner_ = winner;
  is_decided_ = true;
  stage_ = Stage::over;
}

}  // namespace espalier::learn
