// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/core_speed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include <mpi.h>

#include "espalier/measure/common/job.hpp"
#include "espalier/measure/probe/surroundings.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure::probe {
namespace {

constexpr std::size_t num_doubles = 8192;
constexpr std::size_t num_bytes = num_doubles * sizeof(double);
constexpr double longest_us = 10'000;
constexpr int least_repetitions = 5;

/// Bytes per second of an action on num_bytes: of its median duration.
template <class Action> double rate_of(Action&& action) {
  action();
  std::vector<double> durations;
  double const start = now_us();
  while (durations.size() < least_repetitions || now_us() - start < longest_us) {
    double const begin = now_us();
    action();
    durations.push_back(now_us() - begin);
  }
  auto const middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::ranges::nth_element(durations, middle);
  double const shortest = std::max(clock_resolution_us(), 1e-3);
  return static_cast<double>(num_bytes) / std::max(*middle, shortest) * 1e6;
}

/// Keeps the compiler from leaving out copies that nobody reads.
void use(void const* memory) {
  asm volatile("" : : "r"(memory) : "memory");
}

}  // namespace

CoreSpeed measure_core_speed() {
  std::vector<double> from(num_doubles, 1.0);
  std::vector<double> into(num_doubles, 0.0);
  CoreSpeed speed;
  speed.combined = rate_of([&] {
    int const count = static_cast<int>(num_doubles);
    mpi::require_success(
        PMPI_Reduce_local(from.data(), into.data(), count, MPI_DOUBLE, MPI_SUM), "MPI_Reduce_local"
    );
  });
  speed.copied = rate_of([&] {
    std::memcpy(into.data(), from.data(), num_bytes);
    use(into.data());
  });
  return speed;
}

}  // namespace espalier::measure::probe
