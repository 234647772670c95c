// SPDX-License-Identifier: Apache-2.0

/// @file
/// Times barriers and rooted collectives among threads of a process, in turns:
/// `thread_times <threads> <samples> <milliseconds of a sample>`.
/// Prints a line of JSON for each kind, with the median of the samples. Strict collectives have the
/// barrier along a tree behind each call that was the fastest in this run. Beside them are calls of
/// the library's teams.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/threads/barriers.hpp"
#include "benchmarks/threads/collectives.hpp"
#include "benchmarks/threads/library_calls.hpp"
#include "benchmarks/threads/stopwatch.hpp"
#include "espalier/base/median.hpp"
#include "espalier/onesided/threads/thread_world.hpp"

namespace espalier::benchmarks::threads {
namespace {

/// The barrier of the library's conduits among threads: all raise one number.
class ConduitBarrier : public Barrier {
public:
  explicit ConduitBarrier(int num_threads)
      : world_({.segment_bytes = std::vector<std::uint64_t>(static_cast<std::size_t>(num_threads))}
        ) {
    for (int rank = 0; rank < num_threads; ++rank) {
      conduits_.push_back(world_.attach(rank, {}));
    }
  }

  void wait(int thread) override { conduits_[static_cast<std::size_t>(thread)]->barrier(); }

private:
  onesided::ThreadWorld world_;
  std::vector<std::unique_ptr<onesided::Conduit>> conduits_;
};

struct NamedBarrier {
  std::string name;
  std::unique_ptr<Barrier> barrier;
  bool is_tree = false;
};

/// A call and its numbers of doubles: of the whole vector, or of the piece of a thread.
struct Lengths {
  char const* call;
  char const* name;  ///< of the library
  std::vector<std::size_t> num_elements;
};

std::vector<Lengths> const lengths_of_calls{
    {.call = "reduce", .name = "reduce", .num_elements = {1, 8, 32, 128, 1024, 8192}},
    {.call = "broadcast", .name = "bcast", .num_elements = {1, 128, 8192, 131072}},
    {.call = "scatter", .name = "scatter", .num_elements = {1, 128, 8192}},
    {.call = "gather", .name = "gather", .num_elements = {1, 128, 8192}},
};

/// Those that give different trees, the flat one last.
std::vector<int> radices_of(int num_threads) {
  std::vector<int> radices;
  for (int radix = 1; radix < num_threads; radix *= 2) {
    if (radix > 1 || num_threads > 2) {
      radices.push_back(radix);
    }
  }
  radices.push_back(std::max(2, num_threads));
  return radices;
}

std::string tree_name(int radix, int num_threads) {
  return radix >= num_threads ? "flat" : "radix " + std::to_string(radix);
}

std::vector<NamedBarrier> make_barriers(int num_threads, bool shares_cores) {
  std::vector<NamedBarrier> barriers;
  std::array<std::pair<Signals, char const*>, 2> const kinds{
      {{Signals::pull, "pull"}, {Signals::push, "push"}}
  };
  for (int const radix : radices_of(num_threads)) {
    for (auto const& [up, up_name] : kinds) {
      for (auto const& [down, down_name] : kinds) {
        barriers.push_back(
            {.name = tree_name(radix, num_threads) + ", " + up_name + " " + down_name,
             .barrier = make_tree_barrier(
                 places_of(radix, num_threads), {.up = up, .down = down}, shares_cores
             ),
             .is_tree = true}
        );
      }
    }
  }
  for (int radix = 2; radix <= num_threads && radix <= 8; radix *= 2) {
    barriers.push_back(
        {.name = "dissemination, radix " + std::to_string(radix),
         .barrier = make_dissemination_barrier(radix, num_threads, shares_cores)}
    );
  }
  barriers.push_back({.name = "conduit", .barrier = std::make_unique<ConduitBarrier>(num_threads)});
  barriers.push_back({.name = "pthread", .barrier = make_pthread_barrier(num_threads)});
  barriers.push_back({.name = "std", .barrier = make_std_barrier(num_threads)});
  return barriers;
}

void print(int num_threads, Timed const& timed) {
  std::printf(
      "{\"threads\": %d, \"call\": \"%s\", \"algorithm\": \"%s\", \"manner\": \"%s\", "
      "\"doubles\": %zu, \"us\": %.4f}\n",
      num_threads,
      timed.call.c_str(),
      timed.algorithm.c_str(),
      timed.manner.c_str(),
      timed.num_elements,
      median_of(timed.samples_us)
  );
}

/// The fastest one along a tree.
Barrier& time_barriers(
    int num_threads, Sampling const& sampling, std::vector<NamedBarrier> const& barriers
) {
  std::vector<Timed> kinds;
  for (NamedBarrier const& one : barriers) {
    Barrier& barrier = *one.barrier;
    kinds.push_back({.call = "barrier", .algorithm = one.name, .run = [&barrier](int thread) {
                       barrier.wait(thread);
                     }});
  }
  time_in_turns(num_threads, sampling, kinds);
  std::size_t best = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    print(num_threads, kinds[i]);
    if (barriers[i].is_tree && median_of(kinds[i].samples_us) < median_of(kinds[best].samples_us)) {
      best = i;
    }
  }
  std::printf(
      "{\"threads\": %d, \"strict\": \"%s\"}\n", num_threads, kinds[best].algorithm.c_str()
  );
  return *barriers[best].barrier;
}

/// Memory for the arrays of all threads, where each has room for pieces of all others.
class Memory {
public:
  Memory(int num_threads, std::size_t most_elements) {
    for (int thread = 0; thread < num_threads; ++thread) {
      // Only the root has pieces of others.
      std::size_t const pieces = thread == 0 ? static_cast<std::size_t>(num_threads) : 1;
      arrays_.sources.push_back(new_vector(pieces * most_elements));
      arrays_.destinations.push_back(new_vector(pieces * most_elements));
    }
  }

  [[nodiscard]] Arrays const& arrays() const noexcept { return arrays_; }

private:
  double* new_vector(std::size_t num_elements) {
    vectors_.push_back(std::make_unique<std::vector<double>>(num_elements, 1.0));
    return vectors_.back()->data();
  }

  std::vector<std::unique_ptr<std::vector<double>>> vectors_;
  Arrays arrays_;
};

/// Calls of the library's teams, loose and strict.
std::vector<Timed> library_calls(
    Lengths const& lengths, int num_threads, std::vector<std::unique_ptr<LibraryCall>>& calls
) {
  constexpr std::size_t most_elements = 8192;
  std::vector<Timed> kinds;
  for (std::size_t const length : lengths.num_elements) {
    if (length > most_elements) {
      continue;
    }
    for (std::string const tree : {"flat", "binomial"}) {
      for (bool const is_strict : {false, true}) {
        auto const sync = is_strict ? schedule::Sync::allsync : schedule::Sync::nosync;
        std::string const choice = std::string(lengths.name) + "/" + tree;
        calls.push_back(std::make_unique<LibraryCall>(choice, sync, num_threads, length));
        kinds.push_back(
            {.call = lengths.call,
             .algorithm = "library, " + tree,
             .manner = is_strict ? "strict" : "loose",
             .num_elements = length,
             .run = [&call = *calls.back()](int thread) { call.run(thread); }}
        );
      }
    }
  }
  return kinds;
}

void time_collectives(
    int num_threads, Sampling const& sampling, bool shares_cores, Barrier& barrier
) {
  for (Lengths const& one : lengths_of_calls) {
    char const* const call = one.call;
    std::vector<std::size_t> const& lengths = one.num_elements;
    Memory const memory(num_threads, lengths.back());
    std::vector<std::unique_ptr<Collective>> collectives;
    std::vector<std::unique_ptr<LibraryCall>> calls;
    std::vector<Timed> kinds = library_calls(one, num_threads, calls);
    for (std::size_t const length : lengths) {
      for (int const radix : radices_of(num_threads)) {
        collectives.push_back(make_collective(
            call,
            {.places = places_of(radix, num_threads),
             .shares_cores = shares_cores,
             .most_elements = length}
        ));
        auto const run = [&tree = *collectives.back(), &memory, length](int thread) {
          tree.run(thread, memory.arrays(), length);
        };
        std::string const name = tree_name(radix, num_threads);
        kinds.push_back(
            {.call = call, .algorithm = name, .manner = "loose", .num_elements = length, .run = run}
        );
        auto const strictly = [run, &barrier](int thread) {
          run(thread);
          barrier.wait(thread);
        };
        kinds.push_back(
            {.call = call,
             .algorithm = name,
             .manner = "strict",
             .num_elements = length,
             .run = strictly}
        );
      }
    }
    time_in_turns(num_threads, sampling, kinds);
    for (Timed const& timed : kinds) {
      print(num_threads, timed);
    }
  }
}

void measure(int num_threads, Sampling const& sampling) {
  bool const shares_cores = static_cast<std::size_t>(num_threads) > usable_cores().size();
  std::vector<NamedBarrier> const barriers = make_barriers(num_threads, shares_cores);
  Barrier& fastest = time_barriers(num_threads, sampling, barriers);
  time_collectives(num_threads, sampling, shares_cores, fastest);
}

}  // namespace
}  // namespace espalier::benchmarks::threads

int main(int argc, char** argv) {
  if (argc != 4 || std::atoi(argv[1]) < 1 || std::atoi(argv[2]) < 1 || std::atof(argv[3]) <= 0) {
    std::fprintf(stderr, "usage: thread_times <threads> <samples> <milliseconds of a sample>\n");
    return 2;
  }
  espalier::benchmarks::threads::measure(
      std::atoi(argv[1]), {.num_samples = std::atoi(argv[2]), .seconds = std::atof(argv[3]) * 1e-3}
  );
  return 0;
}
