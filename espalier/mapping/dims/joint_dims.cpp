// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mapping/dims/descending_factors.hpp"
#include "espalier/mapping/dims/dims.hpp"
#include "espalier/mapping/dims/least_sum.hpp"
#include "espalier/mapping/dims/level_extents.hpp"

namespace espalier::mapping {
namespace {

/// Branch and bound over levels from outside, in each over dimensions. What is left is worth at
/// least what real factors would cost. Dimensions that are the same in everything are kept in
/// descending order.
class JointSearch {
public:
  JointSearch(
      LevelExtents extents, std::span<double const> costs, std::vector<double> const& weights
  )
      : extents_(std::move(extents)), inside_(static_cast<std::size_t>(extents_.num_levels()) + 1),
        num_dimensions_(weights.size()), weights_(weights) {
    double num_parts = 1;
    for (int level = 0; level < extents_.num_levels(); ++level) {
      num_parts *= extents_.size(level);
      price_.push_back(costs[static_cast<std::size_t>(level)] / num_parts);
      divisors_.push_back(divisors(extents_.size(level)));
      parts_.emplace_back(num_dimensions_, 1);
      // The product over dimensions of all cuts down to here is known.
      inside_[static_cast<std::size_t>(level)] = price_.back() * least_of(weights, num_parts, 0);
    }
    for (std::size_t level = price_.size(); level-- > 0;) {
      inside_[level] += inside_[level + 1];
    }
    for (std::size_t i = 1; i < num_dimensions_; ++i) {
      is_same_.push_back(
          std::abs(weights[i] - weights[i - 1]) <= tie * weights[i] &&
          extents_.left(i) == extents_.left(i - 1)
      );
    }
  }

  /// @param start any solution.
  MultiLevelDims run(double start) {
    limit_ = start;
    choose_level(0, 0, weights_);
    limit_ *= 1 + tie;
    is_final_ = true;
    choose_level(0, 0, weights_);
    MultiLevelDims dims_ml(num_dimensions_);
    for (std::vector<int> const& parts : best_) {
      for (std::size_t i = 0; i < num_dimensions_; ++i) {
        dims_ml[i].push_back(parts[i]);
      }
    }
    return dims_ml;
  }

private:
  /// What the dimensions from `begin` on cost at least.
  [[nodiscard]] static double
  least_of(std::vector<double> const& weights, double product, std::size_t begin) {
    double logs = 0;
    double sum = 0;
    for (std::size_t i = begin; i < weights.size(); ++i) {
      logs += std::log(weights[i]);
      sum += weights[i];
    }
    return least_real_sum(product, static_cast<int>(weights.size() - begin), logs, sum);
  }

  /// @param weights with the cuts of the levels outside.
  void choose_level(std::size_t level, double cost, std::vector<double> const& weights) {
    if (level == parts_.size()) {
      found(cost);
    } else if (!is_final_ || best_.empty() || !loses_tie(level)) {
      choose(level, 0, extents_.size(static_cast<int>(level)), cost, weights);
    }
  }

  void choose(
      std::size_t level, std::size_t i, int rest, double cost, std::vector<double> const& weights
  ) {
    if (i == num_dimensions_) {
      go_inside(level, rest, cost, weights);
      return;
    }
    int const most = is_tied(level, i) ? parts_[level][i - 1] : rest;
    for (int const parts : divisors_[level]) {
      if (parts > std::min(rest, most)) {
        break;
      }
      bool const is_last = i + 1 == num_dimensions_;
      if (rest % parts == 0 && (!is_last || parts == rest) && extents_.accepts(i, parts)) {
        double const more = cost + price_[level] * weights[i] * parts;
        double const least = price_[level] * least_of(weights, rest / parts, i + 1);
        if ((more + least + inside_[level + 1]) * (1 - tie) <= limit_) {
          parts_[level][i] = parts;
          choose(level, i + 1, rest / parts, more, weights);
        }
      }
    }
  }

  void go_inside(std::size_t level, int rest, double cost, std::vector<double> const& weights) {
    if (rest != 1 || !extents_.can_complete(static_cast<int>(level), parts_[level])) {
      return;
    }
    std::vector<double> inner = weights;
    for (std::size_t i = 0; i < num_dimensions_; ++i) {
      inner[i] *= parts_[level][i];
    }
    extents_.take(parts_[level]);
    choose_level(level + 1, cost, inner);
    extents_.give_back(parts_[level]);
  }

  /// A dimension is the same as the one before, and was cut the same on all levels outside.
  [[nodiscard]] bool is_tied(std::size_t level, std::size_t i) const {
    if (i == 0 || !is_same_[i - 1]) {
      return false;
    }
    for (std::size_t outer = 0; outer < level; ++outer) {
      if (parts_[outer][i] != parts_[outer][i - 1]) {
        return false;
      }
    }
    return true;
  }

  void found(double cost) {
    if (!is_final_) {
      limit_ = std::min(limit_, cost);
    } else if (cost <= limit_ && (best_.empty() || !loses_tie(parts_.size()))) {
      best_ = parts_;
    }
  }

  /// Whether the first levels are beaten by those of the best: the least difference of extents,
  /// then the lexicographically greatest, level by level from outside.
  [[nodiscard]] bool loses_tie(std::size_t num_levels) const {
    for (std::size_t level = 0; level < num_levels; ++level) {
      Factors const mine{.difference = difference_of(parts_[level]), .dims = parts_[level]};
      Factors const other{.difference = difference_of(best_[level]), .dims = best_[level]};
      if (mine.dims != other.dims) {
        return wins_tie(other, mine);
      }
    }
    return false;
  }

  LevelExtents extents_;
  std::vector<double> inside_;  ///< what the levels from this one on cost at least
  std::size_t num_dimensions_;
  std::vector<double> weights_;
  std::vector<double> price_;  ///< of a unit of the sum, of each level
  std::vector<std::vector<int>> divisors_;
  std::vector<std::vector<int>> parts_;  ///< [level][dimension]
  std::vector<bool> is_same_;            ///< as the dimension before, without the first
  std::vector<std::vector<int>> best_;
  double limit_ = 0;
  bool is_final_ = false;
};

void check_costs(std::span<double const> costs, std::size_t num_levels) {
  bool const is_valid =
      std::ranges::all_of(costs, [](double cost) { return cost >= 0 && std::isfinite(cost); });
  if (costs.size() != num_levels || !is_valid) {
    throw Error(
        ErrorCode::argument,
        "expected a cost for each of " + std::to_string(num_levels) +
            " levels, finite and >= 0, got " + std::to_string(costs.size())
    );
  }
}

}  // namespace

double joint_cost(
    MultiLevelDims const& dims_ml, std::span<double const> costs, std::span<double const> weights
) {
  std::vector<double> inner(weights.begin(), weights.end());
  double num_parts = 1;
  double total = 0;
  for (std::size_t level = 0; level < costs.size(); ++level) {
    double sum = 0;
    for (std::size_t i = 0; i < dims_ml.size(); ++i) {
      num_parts *= dims_ml[i][level];
      inner[i] *= dims_ml[i][level];
      sum += inner[i];
    }
    total += costs[level] * sum / num_parts;
  }
  return total;
}

MultiLevelDims joint_dims(
    std::span<int const> sizes,
    std::span<double const> costs,
    std::span<double const> weights,
    std::span<int const> dims
) {
  check_costs(costs, sizes.size());
  MultiLevelDims const greedy = multi_level_dims(sizes, weights, dims);
  std::vector<double> const all = normalised(weights, weights.size());
  double const start = joint_cost(greedy, costs, all);
  return JointSearch(LevelExtents(sizes, dims, all.size()), costs, all).run(start);
}

}  // namespace espalier::mapping
