// SPDX-License-Identifier: Apache-2.0

/// @file
/// Factorisations that must be quick at any size: numbers with many divisors, many dimensions.

#include "espalier/mapping/dims/dims.hpp"

#include <cstddef>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using espalier::mapping::balanced_dims;
using espalier::mapping::joint_dims;
using espalier::mapping::weighted_dims;

/// 1/3, 1/4, 1/5, ..
std::vector<double> different_weights(std::size_t count) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < count; ++i) {
    weights.push_back(1.0 / static_cast<double>(3 + i));
  }
  return weights;
}

void balanced(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(balanced_dims(static_cast<int>(state.range(0)), std::vector(6, 0)));
  }
}

void weighted_equal(benchmark::State& state) {
  std::vector<double> const weights(6, 1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        weighted_dims(static_cast<int>(state.range(0)), weights, std::vector(6, 0))
    );
  }
}

void weighted_different(benchmark::State& state) {
  std::vector<double> const weights = different_weights(6);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        weighted_dims(static_cast<int>(state.range(0)), weights, std::vector(6, 0))
    );
  }
}

void joint(benchmark::State& state) {
  std::vector<int> const sizes{static_cast<int>(state.range(0)), 2, 64};
  std::vector<double> const costs{1, 1 / 8.0, 1 / 64.0};
  std::vector<double> const weights = different_weights(3);
  for (auto _ : state) {
    benchmark::DoNotOptimize(joint_dims(sizes, costs, weights));
  }
}

BENCHMARK(balanced)->Arg(1'000'000)->Arg(720'720)->Arg(1'102'701'600);
BENCHMARK(weighted_equal)->Arg(1'000'000)->Arg(720'720)->Arg(1'102'701'600);
BENCHMARK(weighted_different)->Arg(1'000'000)->Arg(720'720)->Arg(1'102'701'600);
BENCHMARK(joint)->Arg(512)->Arg(15'625)->Arg(720'720);

}  // namespace
