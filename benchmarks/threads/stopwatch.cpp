// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/threads/stopwatch.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <thread>

#include "benchmarks/threads/barriers.hpp"

namespace espalier::benchmarks::threads {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// Threads that make all samples together.
class Turns {
public:
  Turns(int num_threads, Sampling const& sampling, std::vector<Timed>& kinds)
      : sampling_(sampling), kinds_(kinds), num_calls_(kinds.size(), 1),
        starts_(static_cast<std::size_t>(num_threads)), ends_(starts_.size()) {
    bool const shares_cores = static_cast<std::size_t>(num_threads) > usable_cores().size();
    start_ = make_tree_barrier(places_of(2, num_threads), TreeSignals{}, shares_cores);
  }

  void work(int thread) {
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      find_num_calls(thread, kind);
    }
    for (int sample = 0; sample < sampling_.num_samples; ++sample) {
      for (std::size_t i = 0; i < kinds_.size(); ++i) {
        std::size_t const kind = sample % 2 == 0 ? i : kinds_.size() - 1 - i;
        double const seconds = time(thread, kind);
        if (thread == 0) {
          double const num_calls = num_calls_[kind];
          kinds_[kind].samples_us.push_back(seconds * 1e6 / num_calls);
        }
      }
    }
  }

private:
  static constexpr int most_calls = 1 << 20;

  /// Doubles the calls until they take long enough; this also warms up.
  void find_num_calls(int thread, std::size_t kind) {
    while (true) {
      double const seconds = time(thread, kind);
      bool const is_enough = seconds * 1.5 > sampling_.seconds || num_calls_[kind] >= most_calls;
      start_->wait(thread);
      if (is_enough) {
        return;
      }
      if (thread == 0) {
        num_calls_[kind] *= 2;
      }
    }
  }

  /// The seconds of a sample, the same on all threads.
  double time(int thread, std::size_t kind) {
    auto const self = static_cast<std::size_t>(thread);
    start_->wait(thread);
    int const num_calls = num_calls_[kind];
    starts_[self] = Clock::now();
    for (int i = 0; i < num_calls; ++i) {
      kinds_[kind].run(thread);
    }
    ends_[self] = Clock::now();
    start_->wait(thread);
    return seconds_of(std::ranges::max(ends_) - std::ranges::min(starts_));
  }

  Sampling sampling_;
  std::vector<Timed>& kinds_;
  std::vector<int> num_calls_;
  std::vector<Clock::time_point> starts_;
  std::vector<Clock::time_point> ends_;
  std::unique_ptr<Barrier> start_;
};

void bind_to(int core) {
  cpu_set_t set{};
  CPU_SET(static_cast<std::size_t>(core), &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

}  // namespace

std::vector<int> usable_cores() {
  cpu_set_t set{};
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) {
      cores.push_back(core);
    }
  }
  return cores;
}

void time_in_turns(int num_threads, Sampling const& sampling, std::vector<Timed>& kinds) {
  std::vector<int> const cores = usable_cores();
  Turns turns(num_threads, sampling, kinds);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(num_threads));
  for (int thread = 0; thread < num_threads; ++thread) {
    threads.emplace_back([&, thread] {
      auto const before = static_cast<std::size_t>(thread) * cores.size();
      bind_to(cores[before / static_cast<std::size_t>(num_threads)]);
      turns.work(thread);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace espalier::benchmarks::threads
