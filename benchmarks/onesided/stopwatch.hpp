// SPDX-License-Identifier: Apache-2.0

/// @file
/// Two ways to do one thing, timed in turns.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/onesided/conduit.hpp"

namespace espalier::benchmarks {

using onesided::Conduit;

using Action = std::function<void()>;

/// What is started together, where many are.
inline constexpr int num_in_flight = 16;

/// What is timed beside what.
struct Compared {
  std::string what;
  std::string theirs;
  std::uint64_t num_bytes = 0;
  int num_calls = 1;   ///< of one action: times are those of one call
  std::string chosen;  ///< algorithm and mechanism; empty: nothing was to be chosen
};

/// A barrier of MPI in which ranks poll: puts of others may need that.
inline void meet(Conduit& conduit) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int is_over = 0; is_over == 0; MPI_Test(&request, &is_over, MPI_STATUS_IGNORE)) {
    conduit.poll();
  }
}

/// Microseconds of one call, on the slowest rank.
inline double sample(Conduit& conduit, Action const& action, int num_actions, int num_calls) {
  meet(conduit);
  double const start = MPI_Wtime();
  for (int i = 0; i < num_actions; ++i) {
    action();
  }
  double time = (MPI_Wtime() - start) * 1e6 / num_actions / num_calls;
  meet(conduit);
  MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return time;
}

inline double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

class Stopwatch {
public:
  Stopwatch(Conduit& conduit, int num_samples, int most_actions)
      : conduit_(conduit), num_samples_(num_samples), most_actions_(most_actions) {}

  void compare(Compared const& what, Action const& ours, Action const& theirs) const {
    constexpr int warm_up = 3;
    int const num_calls = std::min(most_actions_, what.num_bytes <= 4096 ? 200 : 40);
    int const num_actions = std::max(2, num_calls / what.num_calls);
    std::vector<double> our_times;
    std::vector<double> their_times;
    std::vector<double> ratios;
    for (int i = -warm_up; i < num_samples_; ++i) {
      double first = sample(conduit_, i % 2 == 0 ? ours : theirs, num_actions, what.num_calls);
      double second = sample(conduit_, i % 2 == 0 ? theirs : ours, num_actions, what.num_calls);
      if (i % 2 != 0) {
        std::swap(first, second);
      }
      if (i >= 0) {
        our_times.push_back(first);
        their_times.push_back(second);
        ratios.push_back(first / second);
      }
    }
    print(what, quantile(our_times, 0.5), quantile(their_times, 0.5), ratios);
  }

private:
  static void
  print(Compared const& what, double ours, double theirs, std::vector<double> const& ratios) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
      std::printf(
          "{\"what\": \"%s\", \"theirs\": \"%s\", \"bytes\": %llu, \"ours_us\": %.4f, "
          "\"theirs_us\": %.4f, \"ratio\": %.3f, \"ratio_low\": %.3f, \"ratio_high\": %.3f, "
          "\"chosen\": \"%s\"}\n",
          what.what.c_str(),
          what.theirs.c_str(),
          static_cast<unsigned long long>(what.num_bytes),
          ours,
          theirs,
          quantile(ratios, 0.5),
          quantile(ratios, 0.25),
          quantile(ratios, 0.75),
          what.chosen.c_str()
      );
      std::fflush(stdout);
    }
  }

  Conduit& conduit_;
  int num_samples_;
  int most_actions_;
};

}  // namespace espalier::benchmarks
