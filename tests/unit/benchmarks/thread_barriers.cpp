// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "benchmarks/threads/barriers.hpp"
#include "espalier/exec/threads/thread_crew.hpp"

namespace espalier::benchmarks::threads {
namespace {

constexpr std::array numbers_of_threads{1, 2, 3, 5, 8, 16};
constexpr int num_calls = 150;

/// What threads write without atomics before a barrier has to be seen behind it, by all of them.
/// Two rows in turns: who is behind a barrier may be ahead of others by one call only.
class Witness {
public:
  explicit Witness(int num_threads)
      : rows_{
            Row(static_cast<std::size_t>(num_threads)), Row(static_cast<std::size_t>(num_threads))
        } {}

  void write(int thread, int call) { row(call)[static_cast<std::size_t>(thread)] = call; }

  [[nodiscard]] int num_wrong(int call) {
    int result = 0;
    for (int const value : row(call)) {
      result += value == call ? 0 : 1;
    }
    return result;
  }

private:
  using Row = std::vector<int>;

  Row& row(int call) { return rows_[static_cast<std::size_t>(call % 2)]; }

  std::array<Row, 2> rows_;
};

/// How many values threads did not find behind barriers; now and then one of them is late.
int num_wrong(exec::ThreadCrew& crew, Barrier& barrier, int num_threads) {
  Witness witness(num_threads);
  std::vector<int> wrong(static_cast<std::size_t>(num_threads));
  crew.run(wrong.size(), [&](std::size_t number) {
    auto const thread = static_cast<int>(number);
    for (int call = 1; call <= num_calls; ++call) {
      if ((7 * call + thread) % 11 == 0) {
        std::this_thread::yield();
      }
      witness.write(thread, call);
      barrier.wait(thread);
      wrong[number] += witness.num_wrong(call);
    }
  });
  int sum = 0;
  for (int const value : wrong) {
    sum += value;
  }
  return sum;
}

TEST(ThreadBarriers, TreesOfAllSignalsHoldAllThreads) {
  exec::ThreadCrew crew;
  for (int const num_threads : numbers_of_threads) {
    for (int const radix : {1, 2, 3, 4, 8, 16}) {
      for (Signals const up : {Signals::pull, Signals::push}) {
        for (Signals const down : {Signals::pull, Signals::push}) {
          auto const barrier = make_tree_barrier(
              places_of(radix, num_threads), {.up = up, .down = down}, num_threads > 2
          );
          EXPECT_EQ(num_wrong(crew, *barrier, num_threads), 0)
              << num_threads << " threads, radix " << radix << ", up " << static_cast<int>(up)
              << ", down " << static_cast<int>(down);
        }
      }
    }
  }
}

TEST(ThreadBarriers, DisseminationOfAnyRadixHoldsAllThreads) {
  exec::ThreadCrew crew;
  for (int const num_threads : numbers_of_threads) {
    for (int const radix : {2, 3, 4, 8, 32}) {
      auto const barrier = make_dissemination_barrier(radix, num_threads, num_threads > 2);
      EXPECT_EQ(num_wrong(crew, *barrier, num_threads), 0)
          << num_threads << " threads, radix " << radix;
    }
  }
}

TEST(ThreadBarriers, ThoseOfLibrariesHoldAllThreads) {
  exec::ThreadCrew crew;
  for (int const num_threads : numbers_of_threads) {
    EXPECT_EQ(num_wrong(crew, *make_pthread_barrier(num_threads), num_threads), 0) << num_threads;
    EXPECT_EQ(num_wrong(crew, *make_std_barrier(num_threads), num_threads), 0) << num_threads;
  }
}

/// Holds nobody.
class NoBarrier : public Barrier {
public:
  void wait(int /*thread*/) override { std::this_thread::yield(); }
};

TEST(ThreadBarriers, AreFoundOutIfTheyHoldNobody) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer ends the program";
#endif
  exec::ThreadCrew crew;
  NoBarrier barrier;
  EXPECT_GT(num_wrong(crew, barrier, 3), 0);
}

TEST(ThreadPlaces, AreAChainOrFlatAtTheEnds) {
  for (int const num_threads : numbers_of_threads) {
    Places const chain = places_of(1, num_threads);
    Places const flat = places_of(16, num_threads);
    for (int thread = 1; thread < num_threads; ++thread) {
      EXPECT_EQ(chain[static_cast<std::size_t>(thread)].parent, thread - 1);
      EXPECT_EQ(chain[static_cast<std::size_t>(thread)].size, num_threads - thread);
      EXPECT_EQ(flat[static_cast<std::size_t>(thread)].parent, 0);
    }
  }
}

}  // namespace
}  // namespace espalier::benchmarks::threads
