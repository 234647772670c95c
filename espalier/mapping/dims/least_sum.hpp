// SPDX-License-Identifier: Apache-2.0

/// @file
/// Weighted sums of factors: the arithmetic below dims.hpp.

#pragma once

#include <limits>
#include <span>
#include <vector>

namespace espalier::mapping {

/// Sums, and weights, that differ by less than this part of them are equal: what rounding leaves.
inline constexpr double tie = 1e-11;

/// A way to factorise, by what it is compared; see weighted_dims().
struct Factors {
  double sum = std::numeric_limits<double>::infinity();
  int difference = 0;
  std::vector<int> dims{};
};

[[nodiscard]] int difference_of(std::span<int const> dims);
/// Whether `factors` are to be taken of two whose sums are equal.
[[nodiscard]] bool wins_tie(Factors const& factors, Factors const& than);

/// The least the weighted sum of `num_factors` real factors >= 1 with this product can be.
/// @param sum_of_logs of the weights; minus infinity if one is 0.
[[nodiscard]] double
least_real_sum(double product, int num_factors, double sum_of_logs, double sum_of_weights);

/// Divided by the largest, so that sums stay finite.
/// @throws Error argument unless there is one for each dimension, finite and >= 0.
[[nodiscard]] std::vector<double>
normalised(std::span<double const> weights, std::size_t num_dimensions);

/// The factors with the least weighted sum, with ties as weighted_dims() breaks them.
/// @param weights normalised; if there are none, n is 1.
[[nodiscard]] Factors least_sum_factors(int n, std::span<double const> weights);

}  // namespace espalier::mapping
