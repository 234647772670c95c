// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mapping/dims/descending_factors.hpp"
#include "espalier/mapping/dims/dims.hpp"
#include "espalier/mapping/dims/least_sum.hpp"
#include "espalier/mapping/dims/level_extents.hpp"

namespace espalier::mapping {
namespace {

/// Factorises one level: entries with a fixed extent divide what is left of it, so that the levels
/// inside can still make up the rest.
class LevelSearch {
public:
  LevelSearch(LevelExtents const& extents, int level, std::vector<double> weights)
      : extents_(extents), level_(level), weights_(std::move(weights)), chosen_(weights_.size()) {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (extents.is_fixed(i)) {
        fixed_.push_back(i);
      } else {
        free_.push_back(i);
        free_weights_.push_back(weights_[i]);
      }
    }
  }

  std::vector<int> run() {
    choose(0, extents_.size(level_));
    limit_ = best_.sum * (1 + tie);
    best_ = {};
    choose(0, extents_.size(level_));
    return best_.dims;
  }

private:
  void choose(std::size_t idx, int rest) {
    if (idx == fixed_.size()) {
      complete(rest);
      return;
    }
    for (int const divisor : divisors(rest)) {
      if (extents_.accepts(fixed_[idx], divisor)) {
        chosen_[fixed_[idx]] = divisor;
        choose(idx + 1, rest / divisor);
      }
    }
  }

  void complete(int rest) {
    if (free_.empty() && rest != 1) {
      return;
    }
    std::vector<int> const& free = free_factors(rest);
    for (std::size_t i = 0; i < free_.size(); ++i) {
      chosen_[free_[i]] = free[i];
    }
    if (extents_.can_complete(level_, chosen_)) {
      compare();
    }
  }

  void compare() {
    Factors factors{.sum = 0, .difference = difference_of(chosen_), .dims = chosen_};
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      factors.sum += chosen_[i] * weights_[i];
    }
    bool const is_better =
        limit_ < 0 ? factors.sum < best_.sum
                   : factors.sum <= limit_ && (best_.dims.empty() || wins_tie(factors, best_));
    if (is_better) {
      best_ = std::move(factors);
    }
  }

  std::vector<int> const& free_factors(int rest) {
    auto const [found, is_new] = known_.try_emplace(rest);
    if (is_new) {
      found->second = least_sum_factors(rest, free_weights_).dims;
    }
    return found->second;
  }

  LevelExtents const& extents_;
  int level_;
  std::vector<double> weights_;
  std::vector<int> chosen_;
  std::vector<std::size_t> fixed_;
  std::vector<std::size_t> free_;
  std::vector<double> free_weights_;
  std::map<int, std::vector<int>> known_;
  double limit_ = -1;  ///< of the sum, once the least is known
  Factors best_;
};

}  // namespace

std::vector<int> extents(MultiLevelDims const& dims_ml) {
  std::vector<int> result;
  for (std::vector<int> const& levels : dims_ml) {
    int extent = 1;
    for (int const parts : levels) {
      extent *= parts;
    }
    result.push_back(extent);
  }
  return result;
}

MultiLevelDims multi_level_dims(
    std::span<int const> sizes, std::span<double const> weights, std::span<int const> dims
) {
  std::vector<double> inner = normalised(weights, dims.empty() ? weights.size() : dims.size());
  LevelExtents left(sizes, dims, weights.size());
  MultiLevelDims dims_ml(weights.size());
  for (int level = 0; level < left.num_levels(); ++level) {
    std::vector<int> const parts = LevelSearch(left, level, inner).run();
    left.take(parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      dims_ml[i].push_back(parts[i]);
      inner[i] *= parts[i];
    }
  }
  return dims_ml;
}

std::vector<int> multi_level_order(MultiLevelDims const& dims_ml) {
  // Ranks inside a part of the outer levels, times the digits of the level, summed over levels.
  std::vector<int> order{0};
  int num_levels = dims_ml.empty() ? 0 : static_cast<int>(dims_ml.front().size());
  std::vector<std::vector<std::int64_t>> offset(dims_ml.size());
  for (auto& offsets : offset) {
    offsets = {0};
  }
  std::int64_t stride = 1;
  while (num_levels-- > 0) {
    for (std::size_t i = dims_ml.size(); i-- > 0;) {
      int const parts = dims_ml[i][static_cast<std::size_t>(num_levels)];
      std::vector<std::int64_t> longer;
      for (int digit = 0; digit < parts; ++digit) {
        for (std::int64_t const inner : offset[i]) {
          longer.push_back(digit * stride + inner);
        }
      }
      offset[i] = std::move(longer);
      stride *= parts;
    }
  }
  for (std::vector<std::int64_t> const& offsets : offset) {
    std::vector<int> longer;
    longer.reserve(order.size() * offsets.size());
    for (int const outer : order) {
      for (std::int64_t const inner : offsets) {
        longer.push_back(static_cast<int>(outer + inner));
      }
    }
    order = std::move(longer);
  }
  return order;
}

}  // namespace espalier::mapping
