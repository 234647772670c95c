// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/evidence.hpp"

#include <cmath>
#include <string>

#include "espalier/base/error.hpp"

namespace espalier::learn {
namespace {

/// What the stake of somebody who bets on all shares of wins between 1/2 and 1 has grown to:
/// 2^(n + 1) times the integral of x^wins (1 - x)^(n - wins) from 1/2 to 1.
///
/// With m = n + 1 the integral is B(wins + 1, n - wins + 1) P(Bin(m, 1/2) <= wins), and the beta
/// function is 1 / (m binomial(n, wins)). So the stake is the sum of binomial(m, i), i <= wins,
/// divided by m binomial(n, wins). Only additions, products and quotients: the same on all ranks.
double stake_on_any_share(int num_wins, int num_pairs) noexcept {
  int const m = num_pairs + 1;
  double binomial = 1;  // of m and i
  double sum = 1;
  double divisor = 1;  // binomial of num_pairs and i
  for (int i = 1; i <= num_wins; ++i) {
    binomial = binomial * (m - i + 1) / i;
    sum += binomial;
    divisor = divisor * (num_pairs - i + 1) / i;
  }
  return sum / (m * divisor);
}

}  // namespace

Evidence Evidence::of(int num_wins, int num_pairs, int num_clear_wins) {
  bool const is_possible = 0 <= num_clear_wins && num_clear_wins <= num_wins &&
                           num_wins <= num_pairs && num_pairs <= most_pairs;
  if (!is_possible) {
    throw Error(
        ErrorCode::argument,
        "expected at most " + std::to_string(most_pairs) +
            " pairs, no more wins than pairs, and no more clear wins than wins, got " +
            std::to_string(num_wins) + " of " + std::to_string(num_pairs) + " and " +
            std::to_string(num_clear_wins) + " clear wins"
    );
  }
  Evidence evidence;
  evidence.num_wins_ = num_wins;
  evidence.num_pairs_ = num_pairs;
  evidence.num_clear_wins_ = num_clear_wins;
  return evidence;
}

void Evidence::add(double seconds, double seconds_of_other, double clear_factor) noexcept {
  if (seconds == seconds_of_other || num_pairs_ == most_pairs) {
    return;
  }
  ++num_pairs_;
  num_wins_ += seconds < seconds_of_other ? 1 : 0;
  bool const is_clear = clear_factor > 0 && clear_factor * seconds <= seconds_of_other;
  num_clear_wins_ += is_clear ? 1 : 0;
}

Evidence Evidence::with(Evidence const& more) const noexcept {
  Evidence both = *this;
  if (num_pairs_ + more.num_pairs_ <= most_pairs) {
    both.num_wins_ += more.num_wins_;
    both.num_pairs_ += more.num_pairs_;
    both.num_clear_wins_ += more.num_clear_wins_;
  }
  return both;
}

Evidence Evidence::without(Evidence const& earlier) const noexcept {
  Evidence later = *this;
  later.num_wins_ -= earlier.num_wins_;
  later.num_pairs_ -= earlier.num_pairs_;
  later.num_clear_wins_ -= earlier.num_clear_wins_;
  return later;
}

double Evidence::of_clearly_faster() const noexcept {
  constexpr int log2_of_pairs_to_one = 3;
  return num_clear_wins_ == num_pairs_ ? std::ldexp(1.0, log2_of_pairs_to_one * num_pairs_) : 0.0;
}

double Evidence::stake(int num_wins, int num_pairs) noexcept {
  double const on_wins_only = num_wins == num_pairs ? std::ldexp(1.0, num_pairs) : 0.0;
  return (on_wins_only + stake_on_any_share(num_wins, num_pairs)) / 2;
}

}  // namespace espalier::learn
