// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/dims/least_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mapping/dims/descending_factors.hpp"

namespace espalier::mapping {
namespace {

/// Of two directions the one with less weight gets the factor that is not smaller, otherwise they
/// could be exchanged. So factors are searched in descending order, for ascending weights.
class LeastSum {
public:
  LeastSum(int n, std::span<double const> weights)
      : n_(n), direction_(weights.size()), weights_(weights.begin(), weights.end()),
        rest_logs_(weights.size() + 1), rest_weights_(weights.size() + 1) {
    std::iota(direction_.begin(), direction_.end(), std::size_t{0});
    std::ranges::stable_sort(direction_, {}, [&](std::size_t i) { return weights[i]; });
    for (std::size_t i = 0; i < weights.size(); ++i) {
      double const weight = weights[direction_[i]];
      bool const is_tie = i > 0 && weight - weights_[i - 1] <= tie * weight;
      weights_[i] = is_tie ? weights_[i - 1] : weight;
    }
    restore_order_of_ties();
    for (std::size_t i = weights.size(); i-- > 0;) {
      rest_logs_[i] = rest_logs_[i + 1] + std::log(weights_[i]);
      rest_weights_[i] = rest_weights_[i + 1] + weights_[i];
    }
  }

  Factors run() {
    DescendingFactors const all(n_, static_cast<int>(weights_.size()));
    double limit = std::numeric_limits<double>::infinity();
    auto const is_hopeless = [&](std::vector<int> const& chosen, int rest) {
      return bound(chosen, rest) > limit;
    };
    all.for_each(is_hopeless, [&](std::vector<int> const& chosen) {
      limit = std::min(limit, sum(chosen));
    });
    limit *= 1 + tie;
    Factors best;
    auto const loses = [&](std::vector<int> const& chosen, int rest) {
      return (!best.dims.empty() && least_difference(chosen, rest) > best.difference) ||
             is_hopeless(chosen, rest);
    };
    all.for_each(loses, [&](std::vector<int> const& chosen) {
      Factors factors = in_directions(chosen);
      if (best.dims.empty() || wins_tie(factors, best)) {
        best = std::move(factors);
      }
    });
    return best;
  }

private:
  /// Equal weights in the order of their directions: the first gets the largest factor.
  void restore_order_of_ties() {
    for (std::size_t begin = 0, end = 0; begin < weights_.size(); begin = end) {
      while (end < weights_.size() && weights_[end] == weights_[begin]) {
        ++end;
      }
      auto const first = direction_.begin();
      std::sort(
          first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)
      );
    }
  }

  [[nodiscard]] double sum(std::vector<int> const& chosen) const {
    return std::transform_reduce(chosen.begin(), chosen.end(), weights_.begin(), 0.0);
  }

  /// The least of the factors left is not above their mean.
  [[nodiscard]] int least_difference(std::vector<int> const& chosen, int rest) const {
    auto const num_left = static_cast<double>(weights_.size() - chosen.size());
    double const least = num_left == 0 ? chosen.back() : std::pow(rest, 1 / num_left) + 1e-9;
    return chosen.front() - static_cast<int>(least);
  }

  /// Not above what any completion of the factors costs.
  [[nodiscard]] double bound(std::vector<int> const& chosen, int rest) const {
    std::size_t const i = chosen.size();
    int const num_left = static_cast<int>(weights_.size() - i);
    double const least = least_real_sum(rest, num_left, rest_logs_[i], rest_weights_[i]);
    return (sum(chosen) + least) * (1 - tie);
  }

  [[nodiscard]] Factors in_directions(std::vector<int> const& chosen) const {
    Factors factors{
        .sum = sum(chosen),
        .difference = difference_of(chosen),
        .dims = std::vector<int>(chosen.size()),
    };
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      factors.dims[direction_[i]] = chosen[i];
    }
    return factors;
  }

  int n_;
  std::vector<std::size_t> direction_;  ///< by ascending weight
  std::vector<double> weights_;         ///< in that order
  std::vector<double> rest_logs_;       ///< sums from an element on
  std::vector<double> rest_weights_;
};

}  // namespace

int difference_of(std::span<int const> dims) {
  if (dims.empty()) {
    return 0;
  }
  auto const [least, greatest] = std::ranges::minmax(dims);
  return greatest - least;
}

bool wins_tie(Factors const& factors, Factors const& than) {
  return factors.difference != than.difference ? factors.difference < than.difference
                                               : factors.dims > than.dims;
}

double least_real_sum(double product, int num_factors, double sum_of_logs, double sum_of_weights) {
  if (num_factors == 0) {
    return 0;
  }
  double const mean = std::exp((std::log(product) + sum_of_logs) / num_factors);
  return std::max(sum_of_weights, num_factors * mean);
}

std::vector<double> normalised(std::span<double const> weights, std::size_t num_dimensions) {
  if (weights.size() != num_dimensions) {
    throw Error(
        ErrorCode::argument,
        "expected a weight for each of " + std::to_string(num_dimensions) + " dimensions, got " +
            std::to_string(weights.size())
    );
  }
  for (double const weight : weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw Error(
          ErrorCode::argument, "expected finite weights >= 0, got " + std::to_string(weight)
      );
    }
  }
  double const largest = weights.empty() ? 0 : std::ranges::max(weights);
  std::vector<double> result(weights.begin(), weights.end());
  for (double& weight : result) {
    weight = largest > 0 ? weight / largest : 0;
  }
  return result;
}

Factors least_sum_factors(int n, std::span<double const> weights) {
  if (weights.empty()) {
    return {.sum = 0};
  }
  return LeastSum(n, weights).run();
}

}  // namespace espalier::mapping
