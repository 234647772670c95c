// SPDX-License-Identifier: Apache-2.0

/// @file
/// Time to generate the program of one rank out of 2^20, and its memory.

#include <string>

#include <benchmark/benchmark.h>

#include "espalier/algorithms/catalog.hpp"

namespace {

using espalier::algorithms::Choice;

constexpr int many_ranks = 1 << 20;

void generate(benchmark::State& state, std::string const& text, int num_ranks) {
  Choice const choice = Choice::parse(text);
  int const rank = num_ranks / 3;
  std::size_t memory_bytes = 0;
  for (auto _ : state) {
    auto const program = choice.generate(num_ranks, 0, rank);
    memory_bytes = program.memory_bytes();
    benchmark::DoNotOptimize(program.operations.data());
  }
  state.counters["memory_bytes"] = static_cast<double>(memory_bytes);
}

// A program of O(log p) operations.
BENCHMARK_CAPTURE(
    generate, allgather_recursive_doubling, "allgather/recursive_doubling", many_ranks
);
BENCHMARK_CAPTURE(generate, allgather_bruck, "allgather/bruck", many_ranks);
BENCHMARK_CAPTURE(generate, allgather_sparbit_batched, "allgather/sparbit[batch=0]", many_ranks);
BENCHMARK_CAPTURE(generate, bcast_binomial, "bcast/binomial", many_ranks);
BENCHMARK_CAPTURE(generate, bcast_k_nomial, "bcast/k_nomial[k=4]", many_ranks);
BENCHMARK_CAPTURE(generate, bcast_k_ary, "bcast/k_ary[k=2]", many_ranks);
BENCHMARK_CAPTURE(generate, bcast_chain, "bcast/chain", many_ranks);

// O(p): the time per rank should not depend on p.
BENCHMARK_CAPTURE(generate, allgather_ring_2_16, "allgather/ring", many_ranks / 16)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, allgather_ring_2_20, "allgather/ring", many_ranks)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, allgather_neighbor_exchange, "allgather/neighbor_exchange", many_ranks)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, allgather_sparbit, "allgather/sparbit", many_ranks)
    ->Unit(benchmark::kMillisecond);

}  // namespace
