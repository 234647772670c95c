// SPDX-License-Identifier: Apache-2.0

/// @file
/// Times calls that threads of a process make together, several kinds of them in turns.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace espalier::benchmarks::threads {

/// One kind of call.
struct Timed {
  std::string call;
  std::string algorithm;
  std::string manner;            ///< loose, strict, or empty for a barrier
  std::size_t num_elements = 0;  ///< doubles of a call
  std::function<void(int thread)> run;
  std::vector<double> samples_us;  ///< of a call
};

struct Sampling {
  int num_samples = 0;
  double seconds = 0;  ///< that a sample takes, about
};

/// The processors that this process may use.
[[nodiscard]] std::vector<int> usable_cores();

/// Has each kind timed by threads that are bound to cores, neighbours to the same one: a sample is
/// a loop of calls, from when the first thread begins until the last one has ended. All kinds take
/// their turns, as often as there are samples, and the order turns around each time.
void time_in_turns(int num_threads, Sampling const& sampling, std::vector<Timed>& kinds);

}  // namespace espalier::benchmarks::threads
