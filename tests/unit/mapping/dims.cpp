// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/dims/dims.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::mapping {
namespace {

using Dims = std::vector<int>;
using Weights = std::vector<double>;

/// All ways to write n as an ordered product.
std::vector<Dims> all_products(int n, std::size_t num_factors) {
  if (num_factors == 0) {
    return n == 1 ? std::vector<Dims>{{}} : std::vector<Dims>{};
  }
  std::vector<Dims> all;
  for (int first = 1; first <= n; ++first) {
    if (n % first == 0) {
      for (Dims rest : all_products(n / first, num_factors - 1)) {
        rest.insert(rest.begin(), first);
        all.push_back(std::move(rest));
      }
    }
  }
  return all;
}

int spread(Dims const& dims, Dims const& fixed) {
  int least = std::numeric_limits<int>::max();
  int greatest = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (fixed[i] == 0) {
      least = std::min(least, dims[i]);
      greatest = std::max(greatest, dims[i]);
    }
  }
  return greatest == 0 ? 0 : greatest - least;
}

std::vector<Dims> candidates(int n, Dims const& fixed) {
  std::vector<Dims> all = all_products(n, fixed.size());
  std::erase_if(all, [&](Dims const& dims) {
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (fixed[i] != 0 && fixed[i] != dims[i]) {
        return true;
      }
    }
    return false;
  });
  return all;
}

double sum_of(Dims const& dims, Weights const& weights) {
  return std::transform_reduce(dims.begin(), dims.end(), weights.begin(), 0.0);
}

Dims brute_weighted(int n, Weights const& weights, Dims const& fixed) {
  std::vector<Dims> all = candidates(n, fixed);
  double least = std::numeric_limits<double>::infinity();
  for (Dims const& dims : all) {
    least = std::min(least, sum_of(dims, weights));
  }
  std::erase_if(all, [&](Dims const& dims) { return sum_of(dims, weights) > least * (1 + 1e-10); });
  return *std::ranges::min_element(all, [&](Dims const& a, Dims const& b) {
    return spread(a, fixed) != spread(b, fixed) ? spread(a, fixed) < spread(b, fixed) : a > b;
  });
}

Dims brute_balanced(int n, Dims const& fixed) {
  std::vector<Dims> all = candidates(n, fixed);
  return *std::ranges::min_element(all, {}, [&](Dims const& dims) {
    Dims negated;
    std::ranges::transform(dims, std::back_inserter(negated), std::negate());
    return std::tuple(spread(dims, fixed), std::accumulate(dims.begin(), dims.end(), 0), negated);
  });
}

/// Few small fractions, so that ties are frequent; some are 0.
Weights random_weights(std::mt19937& random, std::size_t size) {
  Weights weights(size);
  for (double& weight : weights) {
    weight = static_cast<double>(random() % 5) / static_cast<double>(1 + random() % 4);
  }
  return weights;
}

/// Some entries of a product of n, 0 for the others; not all fixed unless `may_all` says so.
Dims random_fixed(std::mt19937& random, int n, std::size_t size) {
  std::vector<Dims> const all = all_products(n, size);
  Dims fixed = all[random() % all.size()];
  for (int& extent : fixed) {
    extent = random() % 3 == 0 ? extent : 0;
  }
  return fixed;
}

TEST(WeightedDims, EqualBruteForce) {
  std::mt19937 random(1);
  for (int n = 1; n <= 200; ++n) {
    for (std::size_t d = 1; d <= 4; ++d) {
      Weights const weights = random_weights(random, d);
      Dims const fixed = random_fixed(random, n, d);
      ASSERT_EQ(weighted_dims(n, weights, fixed), brute_weighted(n, weights, fixed))
          << n << ' ' << testing::PrintToString(weights) << testing::PrintToString(fixed);
    }
  }
}

TEST(WeightedDims, ScaledWeightsGiveTheSame) {
  Weights const weights{1.0 / 3, 1.0 / 7, 1.0 / 3};
  for (double const scale : {1e-300, 0.1, 3.0, 1e300}) {
    Weights scaled = weights;
    for (double& weight : scaled) {
      weight *= scale;
    }
    EXPECT_EQ(weighted_dims(360, scaled, {0, 0, 0}), weighted_dims(360, weights, {0, 0, 0}));
  }
}

TEST(WeightedDims, WeightsEqualButForRoundingAreEqual) {
  double const sum = 0.1 + 0.2;
  EXPECT_EQ(weighted_dims(6, Weights{sum, 0.3}, {0, 0}), (Dims{3, 2}));
  EXPECT_EQ(weighted_dims(6, Weights{0.3, sum}, {0, 0}), (Dims{3, 2}));
}

TEST(WeightedDims, SolveTheExamplesOfTheSource) {
  EXPECT_EQ(weighted_dims(12, Weights{1 / 1800.0, 1 / 580.0}, {0, 0}), (Dims{6, 2}));
  EXPECT_EQ(weighted_dims(25, Weights{1 / 3000.0, 1 / 3000.0}, {0, 0}), (Dims{5, 5}));
}

TEST(WeightedDims, ManyDimensionsAndProcesses) {
  EXPECT_EQ(weighted_dims(1000000, Weights(6, 1), Dims(6, 0)), (Dims{10, 10, 10, 10, 10, 10}));
  Dims ones(30, 1);
  std::fill_n(ones.begin(), 20, 2);
  EXPECT_EQ(weighted_dims(1 << 20, Weights(30, 1), Dims(30, 0)), ones);
  EXPECT_EQ(weighted_dims(2147483647, Weights{2, 1, 3}, Dims(3, 0)), (Dims{1, 2147483647, 1}));
}

TEST(BalancedDims, EqualBruteForce) {
  std::mt19937 random(2);
  for (int n = 1; n <= 200; ++n) {
    for (std::size_t d = 1; d <= 4; ++d) {
      Dims const fixed = random_fixed(random, n, d);
      ASSERT_EQ(balanced_dims(n, fixed), brute_balanced(n, fixed))
          << n << ' ' << testing::PrintToString(fixed);
    }
  }
}

TEST(BalancedDims, KnowTheCasesOfTheStandard) {
  EXPECT_EQ(balanced_dims(6, {0, 0}), (Dims{3, 2}));
  EXPECT_EQ(balanced_dims(7, {0, 0}), (Dims{7, 1}));
  EXPECT_EQ(balanced_dims(6, {0, 3, 0}), (Dims{2, 3, 1}));
  EXPECT_EQ(balanced_dims(12, {0, 0}), (Dims{4, 3}));
  EXPECT_EQ(balanced_dims(15000, {0, 0, 0}), (Dims{25, 25, 24}));
  EXPECT_EQ(balanced_dims(192, {0, 0, 0}), (Dims{8, 6, 4}));
  EXPECT_EQ(balanced_dims(1536, {0, 0, 0}), (Dims{16, 12, 8}));
  EXPECT_EQ(balanced_dims(12288, {0, 0, 0}), (Dims{32, 24, 16}));
  EXPECT_EQ(balanced_dims(1, {}), Dims{});
  EXPECT_EQ(balanced_dims(1000003, {0, 0, 0}), (Dims{1000003, 1, 1}));
}

template <typename Call> void expect_refusal(Call call, std::string const& part) {
  try {
    call();
    ADD_FAILURE() << "expected an error with: " << part;
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::argument);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Dims, RefuseWhatCannotBe) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  expect_refusal([] { (void)balanced_dims(6, {4, 0}); }, "divides 6");
  expect_refusal([] { (void)balanced_dims(6, {2, 2}); }, "product is 6");
  expect_refusal([] { (void)balanced_dims(6, {-1, 0}); }, "got -1 at 0");
  expect_refusal([] { (void)balanced_dims(0, {0}); }, "at least 1, got 0");
  expect_refusal([] { (void)balanced_dims(6, {}); }, "product is 6");
  for (double const weight : {-1.0, nan, infinity}) {
    expect_refusal([&] { (void)weighted_dims(6, Weights{1, weight}, {0, 0}); }, "finite");
  }
  expect_refusal([] { (void)weighted_dims(6, Weights{1}, {0, 0}); }, "each of 2");
  expect_refusal([] { (void)multi_level_dims(Dims{2, 0}, Weights{1}); }, "got 0 at level 1");
  expect_refusal([] { (void)multi_level_dims(Dims{}, Weights{1}); }, "at least one level");
  expect_refusal(
      [] { (void)multi_level_dims(Dims{2, 3}, Weights{1, 1}, Dims{4, 0}); }, "divides 6"
  );
  expect_refusal([] { (void)multi_level_dims(Dims{65536, 65536}, Weights{1}); }, "is an int");
  expect_refusal(
      [&] { (void)joint_dims(Dims{2}, Weights{nan}, Weights{1}); }, "cost for each of 1"
  );
}

struct Row {
  Weights weights;
  Dims sizes;
  MultiLevelDims dims_ml;
};

/// Greedy and joint: at 8 times the bandwidth inside both are the same here.
void expect_rows(std::vector<Row> const& rows) {
  for (Row const& row : rows) {
    EXPECT_EQ(multi_level_dims(row.sizes, row.weights), row.dims_ml)
        << testing::PrintToString(row.sizes) << testing::PrintToString(row.weights);
  }
}

TEST(MultiLevelDims, SolveEveryRowOfTheSource) {
  Weights const equal{1, 1, 1};
  Weights const flat{1, 1 / 2.0, 1 / 4.0};
  Weights const tall{1 / 4.0, 1 / 2.0, 1};
  expect_rows({
      {equal, {8, 2, 12}, {{2, 2, 2}, {2, 1, 3}, {2, 1, 2}}},
      {equal, {64, 2, 12}, {{4, 2, 2}, {4, 1, 3}, {4, 1, 2}}},
      {equal, {512, 2, 12}, {{8, 2, 2}, {8, 1, 3}, {8, 1, 2}}},
      {flat, {8, 2, 12}, {{1, 2, 2}, {2, 1, 3}, {4, 1, 2}}},
      {flat, {64, 2, 12}, {{2, 2, 2}, {4, 1, 3}, {8, 1, 2}}},
      {flat, {512, 2, 12}, {{4, 2, 2}, {8, 1, 3}, {16, 1, 2}}},
      {tall, {8, 2, 12}, {{4, 2, 2}, {2, 1, 3}, {1, 1, 2}}},
      {tall, {64, 2, 12}, {{8, 2, 2}, {4, 1, 3}, {2, 1, 2}}},
      {tall, {512, 2, 12}, {{16, 2, 2}, {8, 1, 3}, {4, 1, 2}}},
  });
}

TEST(MultiLevelDims, SolveTheExamplesOfTheSource) {
  expect_rows({
      {{1 / 1000.0, 1 / 1100.0, 1 / 950.0}, {625, 2, 12}, {{5, 2, 3}, {25, 1, 1}, {5, 1, 4}}},
      {{1 / 3000.0, 1 / 3000.0}, {25, 24}, {{5, 6}, {5, 4}}},
  });
  EXPECT_EQ(extents({{5, 2, 3}, {25, 1, 1}, {5, 1, 4}}), (Dims{30, 25, 20}));
}

/// All ways to factorise on all levels, [dimension][level].
std::vector<MultiLevelDims> all_levels(Dims const& sizes, std::size_t d, Dims const& dims) {
  std::vector<MultiLevelDims> all{MultiLevelDims(d)};
  for (int const size : sizes) {
    std::vector<MultiLevelDims> longer;
    for (MultiLevelDims const& outer : all) {
      for (Dims const& parts : all_products(size, d)) {
        MultiLevelDims dims_ml = outer;
        for (std::size_t i = 0; i < d; ++i) {
          dims_ml[i].push_back(parts[i]);
        }
        longer.push_back(std::move(dims_ml));
      }
    }
    all = std::move(longer);
  }
  std::erase_if(all, [&](MultiLevelDims const& dims_ml) {
    Dims const got = extents(dims_ml);
    for (std::size_t i = 0; i < d; ++i) {
      if (dims[i] != 0 && dims[i] != got[i]) {
        return true;
      }
    }
    return false;
  });
  return all;
}

/// (difference, - parts) of each level.
std::vector<std::pair<int, Dims>> tie_key(MultiLevelDims const& dims_ml) {
  std::vector<std::pair<int, Dims>> key;
  for (std::size_t level = 0; level < dims_ml.front().size(); ++level) {
    Dims negated;
    for (Dims const& levels : dims_ml) {
      negated.push_back(-levels[level]);
    }
    key.emplace_back(std::ranges::max(negated) - std::ranges::min(negated), negated);
  }
  return key;
}

MultiLevelDims
brute_joint(Dims const& sizes, Weights const& costs, Weights const& weights, Dims const& dims) {
  std::vector<MultiLevelDims> all = all_levels(sizes, weights.size(), dims);
  double least = std::numeric_limits<double>::infinity();
  for (MultiLevelDims const& dims_ml : all) {
    least = std::min(least, joint_cost(dims_ml, costs, weights));
  }
  std::erase_if(all, [&](MultiLevelDims const& dims_ml) {
    return joint_cost(dims_ml, costs, weights) > least * (1 + 1e-10);
  });
  return *std::ranges::min_element(all, {}, tie_key);
}

struct Case {
  Dims sizes;
  Weights costs;
  Weights weights;
  Dims dims;
};

Case random_case(std::mt19937& random) {
  std::size_t const d = 1 + random() % 3;
  Case result{.weights = random_weights(random, d), .dims = Dims(d, 1)};
  std::size_t const num_levels = 1 + random() % 3;
  for (std::size_t level = 0; level < num_levels; ++level) {
    result.sizes.push_back(static_cast<int>(1 + random() % (level == 0 ? 30 : 12)));
    result.costs.push_back(1.0 / static_cast<double>(1 + random() % 16));
    std::vector<Dims> const all = all_products(result.sizes.back(), d);
    Dims const& parts = all[random() % all.size()];
    for (std::size_t i = 0; i < d; ++i) {
      result.dims[i] *= parts[i];
    }
  }
  for (int& extent : result.dims) {
    extent = random() % 3 == 0 ? extent : 0;
  }
  return result;
}

TEST(JointDims, EqualBruteForce) {
  std::mt19937 random(3);
  int num_better = 0;
  for (int i = 0; i < 250; ++i) {
    auto const [sizes, costs, weights, dims] = random_case(random);
    MultiLevelDims const joint = joint_dims(sizes, costs, weights, dims);
    ASSERT_EQ(joint, brute_joint(sizes, costs, weights, dims))
        << testing::PrintToString(sizes) << testing::PrintToString(costs)
        << testing::PrintToString(weights) << testing::PrintToString(dims);
    double const greedy = joint_cost(multi_level_dims(sizes, weights, dims), costs, weights);
    num_better += joint_cost(joint, costs, weights) < greedy * (1 - 1e-9) ? 1 : 0;
  }
  EXPECT_GT(num_better, 0);
}

/// The first level is the best of those the others can complete, then the second, and so on.
TEST(MultiLevelDims, EqualBruteForceLevelByLevel) {
  std::mt19937 random(4);
  for (int i = 0; i < 250; ++i) {
    auto const [sizes, costs, weights, dims] = random_case(random);
    std::vector<MultiLevelDims> left = all_levels(sizes, weights.size(), dims);
    for (std::size_t level = 0; level < sizes.size(); ++level) {
      auto const sum = [&, level, &sizes = sizes, &weights = weights](MultiLevelDims const& one) {
        Weights only(sizes.size(), 0.0);
        only[level] = 1;
        return joint_cost(one, only, weights);
      };
      double const least = sum(*std::ranges::min_element(left, {}, sum));
      std::erase_if(left, [&](auto const& dims_ml) { return sum(dims_ml) > least * (1 + 1e-10); });
      auto const key = [&, level](MultiLevelDims const& dims_ml) {
        return tie_key(dims_ml)[level];
      };
      auto const best = key(*std::ranges::min_element(left, {}, key));
      std::erase_if(left, [&](auto const& dims_ml) { return key(dims_ml) != best; });
    }
    ASSERT_EQ(left.size(), 1U);
    ASSERT_EQ(multi_level_dims(sizes, weights, dims), left.front())
        << testing::PrintToString(sizes) << testing::PrintToString(weights)
        << testing::PrintToString(dims);
  }
}

TEST(JointDims, CostWhatPartsSend) {
  // 2 x 1 nodes of 1 x 3 cores: nodes send 2 w0 + w1 over 2, cores 2 w0 + 3 w1 over 6.
  MultiLevelDims const dims_ml{{2, 1}, {1, 3}};
  EXPECT_DOUBLE_EQ(joint_cost(dims_ml, Weights{1, 0.5}, Weights{4, 6}), 14 / 2.0 + 0.5 * 26 / 6.0);
}

TEST(JointDims, CanBeatLevelByLevel) {
  // 11 cores can only be cut in one direction, which the nodes should leave to them.
  Dims const sizes{6, 11};
  Weights const weights{1, 1.5};
  Weights const costs{1, 1};
  MultiLevelDims const greedy = multi_level_dims(sizes, weights);
  MultiLevelDims const joint = joint_dims(sizes, costs, weights);
  EXPECT_EQ(greedy, (MultiLevelDims{{3, 11}, {2, 1}}));
  EXPECT_EQ(joint, (MultiLevelDims{{2, 11}, {3, 1}}));
  EXPECT_LT(joint_cost(joint, costs, weights), 0.97 * joint_cost(greedy, costs, weights));
}

TEST(MultiLevelOrder, PutsOuterDigitsFirst) {
  // 2 x 2 nodes of 1 x 2 ranks, the grid is 2 x 4.
  EXPECT_EQ(multi_level_order({{2, 1}, {2, 2}}), (Dims{0, 1, 2, 3, 4, 5, 6, 7}));
  // 1 x 2 nodes of 2 x 2 ranks.
  EXPECT_EQ(multi_level_order({{1, 2}, {2, 2}}), (Dims{0, 1, 4, 5, 2, 3, 6, 7}));
  // 2 nodes, 2 packages side by side, 2 cores on top of each other.
  EXPECT_EQ(multi_level_order({{2, 1, 2}, {1, 2, 1}}), (Dims{0, 2, 1, 3, 4, 6, 5, 7}));
}

TEST(MultiLevelOrder, BlocksOfPlainOrderAreThoseOfTheSource) {
  // 8x2x12 in MPI_Dims_create + MPI_Cart_create: 8=8x1x1, 6=1x2x3, 4=1x1x4, nothing moves.
  Dims identity(192);
  std::iota(identity.begin(), identity.end(), 0);
  EXPECT_EQ(multi_level_order({{8, 1, 1}, {1, 2, 3}, {1, 1, 4}}), identity);
}

TEST(MultiLevelOrder, EveryNodeIsABlock) {
  MultiLevelDims const dims_ml = multi_level_dims(Dims{8, 2, 12}, Weights{1, 1, 1});
  Dims const order = multi_level_order(dims_ml);
  Dims seen(192, 0);
  for (int position = 0; position < 192; ++position) {
    int const rank = order[static_cast<std::size_t>(position)];
    ++seen[static_cast<std::size_t>(rank)];
    int const x = position / 24;
    int const y = position / 4 % 6;
    int const z = position % 4;
    EXPECT_EQ(rank / 24, x / 4 * 4 + y / 3 * 2 + z / 2);
    EXPECT_EQ(rank / 12 % 2, x / 2 % 2);
    EXPECT_EQ(rank % 12, x % 2 * 6 + y % 3 * 2 + z % 2);
  }
  EXPECT_EQ(seen, Dims(192, 1));
}

}  // namespace
}  // namespace espalier::mapping
