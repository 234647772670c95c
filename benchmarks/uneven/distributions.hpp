// SPDX-License-Identifier: Apache-2.0

/// @file
/// Sizes of blocks as in [loch2021], and how calls with them are timed.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include <mpi.h>

namespace uneven {

using Counts = std::vector<int>;

struct Distribution {
  char const* name;
  /// Bytes of block i of p, for a nominal size c.
  int (*bytes)(int i, int p, int c);
};

inline constexpr std::array distributions{
    Distribution{"regular", [](int, int, int c) { return c; }},
    Distribution{"broadcast", [](int i, int, int c) { return i == 0 ? c : 0; }},
    Distribution{"spike", [](int i, int p, int c) { return i == 0 ? p * c : p * c / (p - 1); }},
    Distribution{"half_full", [](int i, int, int c) { return i % 2 == 0 ? 2 * c : 0; }},
    Distribution{"linear", [](int i, int p, int c) { return 2 * c * (p - 1 - i) / (p - 1); }},
    Distribution{
        "geometric",
        [](int i, int p, int c) { return static_cast<int>(p * c / std::log(p) / (i + 1.5)); }
    },
    Distribution{"sparse", [](int i, int p, int c) { return i > 0 && i < 4 ? p * c / 3 : 0; }},
};

inline Counts places_of(Counts const& counts) {
  Counts places(counts.size());
  for (std::size_t i = 1; i < counts.size(); ++i) {
    places[i] = places[i - 1] + counts[i - 1];
  }
  return places;
}

inline double median(std::vector<double> samples) {
  auto const middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

/// Microseconds of the slowest rank.
inline double timed(std::function<void()> const& action) {
  MPI_Barrier(MPI_COMM_WORLD);
  double const start = MPI_Wtime();
  action();
  double const own = (MPI_Wtime() - start) * 1e6;
  double slowest = 0;
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

}  // namespace uneven
