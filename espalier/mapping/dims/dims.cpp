// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/dims/dims.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mapping/dims/descending_factors.hpp"
#include "espalier/mapping/dims/least_sum.hpp"

namespace espalier::mapping {
namespace {

/// Indices of the entries that are 0.
std::vector<std::size_t> free_entries(std::vector<int> const& dims) {
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) {
      throw Error(
          ErrorCode::argument,
          "expected entries of dims >= 0, got " + std::to_string(dims[i]) + " at " +
              std::to_string(i)
      );
    }
    if (dims[i] == 0) {
      free.push_back(i);
    }
  }
  return free;
}

/// What the free entries have to multiply to.
int rest_for(int num_ranks, std::vector<int> const& dims, bool has_free) {
  if (num_ranks < 1) {
    throw Error(
        ErrorCode::argument, "num_ranks must be at least 1, got " + std::to_string(num_ranks)
    );
  }
  int rest = num_ranks;
  for (int const extent : dims) {
    if (extent > 0 && rest % extent != 0) {
      rest = 0;
      break;
    }
    rest /= std::max(extent, 1);
  }
  if (rest == 0 || (!has_free && rest != 1)) {
    throw Error(
        ErrorCode::argument,
        std::string("expected fixed entries of dims whose product ") +
            (has_free ? "divides " : "is ") + std::to_string(num_ranks) +
            "; choose others, or 0 for free ones"
    );
  }
  return rest;
}

/// Non-increasing factors by difference, then sum, then the lexicographically greatest.
std::vector<int> balanced_factors(int n, int num_factors) {
  std::tuple<int, std::int64_t, std::vector<int>> best{n, 0, {}};
  auto const is_hopeless = [&](std::vector<int> const& chosen, int rest) {
    int const num_left = num_factors - static_cast<int>(chosen.size());
    double const mean = num_left == 0 ? chosen.back() : std::pow(rest, 1.0 / num_left) + 1e-9;
    return chosen.front() - static_cast<int>(mean) > std::get<int>(best);
  };
  DescendingFactors(n, num_factors).for_each(is_hopeless, [&](std::vector<int> const& factors) {
    std::int64_t const sum = std::accumulate(factors.begin(), factors.end(), std::int64_t{0});
    std::vector<int> negated(factors.size());
    std::ranges::transform(factors, negated.begin(), std::negate());
    std::tuple found{difference_of(factors), sum, std::move(negated)};
    if (std::get<2>(best).empty() || found < best) {
      best = std::move(found);
    }
  });
  std::vector<int> factors = std::get<2>(best);
  std::ranges::transform(factors, factors.begin(), std::negate());
  return factors;
}

}  // namespace

std::vector<int> balanced_dims(int num_ranks, std::vector<int> dims) {
  std::vector<std::size_t> const free = free_entries(dims);
  int const rest = rest_for(num_ranks, dims, !free.empty());
  std::vector<int> const factors = balanced_factors(rest, static_cast<int>(free.size()));
  for (std::size_t i = 0; i < free.size(); ++i) {
    dims[free[i]] = factors[i];
  }
  return dims;
}

std::vector<int>
weighted_dims(int num_ranks, std::span<double const> weights, std::vector<int> dims) {
  std::vector<double> const all = normalised(weights, dims.size());
  std::vector<std::size_t> const free = free_entries(dims);
  int const rest = rest_for(num_ranks, dims, !free.empty());
  std::vector<double> free_weights;
  for (std::size_t const i : free) {
    free_weights.push_back(all[i]);
  }
  Factors const factors = least_sum_factors(rest, free_weights);
  for (std::size_t i = 0; i < free.size(); ++i) {
    dims[free[i]] = factors.dims[i];
  }
  return dims;
}

}  // namespace espalier::mapping
