// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benchmarks/threads/barriers.hpp"
#include "benchmarks/threads/library_calls.hpp"
#include "espalier/exec/threads/thread_crew.hpp"

namespace espalier::benchmarks::threads {
namespace {

constexpr std::size_t num_elements = 5;

/// What a thread gives as element i.
double given(std::size_t thread, std::size_t i) {
  return static_cast<double>(100 * thread + i);
}

/// Has a call made several times behind each other.
void run(LibraryCall& call, int num_threads, int num_calls) {
  exec::ThreadCrew crew;
  auto const p = static_cast<std::size_t>(num_threads);
  for (std::size_t thread = 0; thread < p; ++thread) {
    for (std::size_t i = 0; i < p * num_elements; ++i) {
      call.input(static_cast<int>(thread))[i] = given(thread, i);
    }
  }
  crew.run(p, [&](std::size_t thread) {
    for (int times = 0; times < num_calls; ++times) {
      call.run(static_cast<int>(thread));
    }
  });
}

class ThreadLibraryCalls : public testing::TestWithParam<schedule::Sync> {
protected:
  static constexpr int num_threads = 3;

  [[nodiscard]] LibraryCall called(std::string const& choice) const {
    LibraryCall call(choice, GetParam(), num_threads, num_elements);
    // Loose calls with the same memory would write into what others still work on.
    run(call, num_threads, GetParam() == schedule::Sync::allsync ? 3 : 1);
    return call;
  }
};

TEST_P(ThreadLibraryCalls, Reduce) {
  for (std::string const tree : {"flat", "binomial"}) {
    LibraryCall call = called("reduce/" + tree);
    for (std::size_t i = 0; i < num_elements; ++i) {
      EXPECT_EQ(call.output(0)[i], given(0, i) + given(1, i) + given(2, i)) << tree;
    }
  }
}

TEST_P(ThreadLibraryCalls, Broadcast) {
  for (std::string const tree : {"flat", "binomial"}) {
    LibraryCall call("bcast/" + tree, GetParam(), num_threads, num_elements);
    for (std::size_t i = 0; i < num_elements; ++i) {
      call.output(0)[i] = given(7, i);
    }
    run(call, num_threads, 3);
    for (int thread = 0; thread < num_threads; ++thread) {
      EXPECT_EQ(call.output(thread)[1], given(7, 1)) << tree;
    }
  }
}

TEST_P(ThreadLibraryCalls, Scatter) {
  for (std::string const tree : {"flat", "binomial"}) {
    LibraryCall call = called("scatter/" + tree);
    for (std::size_t thread = 0; thread < num_threads; ++thread) {
      std::size_t const i = thread * num_elements + 1;
      EXPECT_EQ(call.output(static_cast<int>(thread))[i], given(0, i)) << tree;
    }
  }
}

TEST_P(ThreadLibraryCalls, Gather) {
  for (std::string const tree : {"flat", "binomial"}) {
    LibraryCall call = called("gather/" + tree);
    for (std::size_t thread = 0; thread < num_threads; ++thread) {
      EXPECT_EQ(call.output(0)[thread * num_elements + 1], given(thread, 1)) << tree;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    LooseAndStrict,
    ThreadLibraryCalls,
    testing::Values(schedule::Sync::nosync, schedule::Sync::allsync),
    [](auto const& tested) {
      return std::string(tested.param == schedule::Sync::nosync ? "loose" : "strict");
    }
);

}  // namespace
}  // namespace espalier::benchmarks::threads
