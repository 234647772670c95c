// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/evidence.hpp"

namespace espalier::learn {

void Evidence::add(double seconds, double seconds_of_other) noexcept {
  if (seconds == seconds_of_other || num_pairs_ == most_pairs) {
    return;
  }
  ++num_pairs_;
  num_wins_ += seconds < seconds_of_other ? 1 : 0;
}

// With m = n + 1 the integral is B(wins + 1, n - wins + 1) P(Bin(m, 1/2) <= wins), and the beta
// function is 1 / (m binomial(n, wins)). So the stake is the sum of binomial(m, i), i <= wins,
// divided by m binomial(n, wins). Only additions, products and quotients: the same on all ranks.
double Evidence::stake(int num_wins, int num_pairs) noexcept {
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

}  // namespace espalier::learn
