// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benchmarks/threads/barriers.hpp"
#include "benchmarks/threads/collectives.hpp"
#include "espalier/exec/threads/thread_crew.hpp"

namespace espalier::benchmarks::threads {
namespace {

constexpr std::size_t most_elements = 17;
constexpr std::size_t num_rows = 5;  ///< calls behind each other with nothing between them
constexpr int num_turns = 12;

std::size_t elements_of(std::size_t row) {
  return std::array<std::size_t, num_rows>{1, most_elements, 3, 8, 2}[row];
}

/// Exact in sums.
double given(int thread, std::size_t i, int turn, std::size_t row) {
  return static_cast<double>(thread + 1) * 1000 + static_cast<double>(i * 7 + row) + turn * 100000;
}

/// Arrays for several calls, and what has to be in them afterwards.
class Rows {
public:
  Rows(std::string name, int num_threads) : name_(std::move(name)), num_threads_(num_threads) {
    for (Row& row : rows_) {
      for (int thread = 0; thread < num_threads; ++thread) {
        std::size_t const size = most_elements * static_cast<std::size_t>(num_threads);
        row.sources.emplace_back(size);
        row.destinations.emplace_back(size);
      }
      for (std::size_t thread = 0; thread < row.sources.size(); ++thread) {
        row.arrays.sources.push_back(row.sources[thread].data());
        row.arrays.destinations.push_back(row.destinations[thread].data());
      }
    }
  }

  [[nodiscard]] Arrays const& arrays(std::size_t row) const { return rows_[row].arrays; }

  /// By the thread that owns them.
  void fill(int thread, int turn) {
    for (std::size_t row = 0; row < num_rows; ++row) {
      std::vector<double>& source = rows_[row].sources[static_cast<std::size_t>(thread)];
      for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = given(thread, i, turn, row);
      }
    }
  }

  [[nodiscard]] int num_wrong(int thread, int turn) const {
    int result = 0;
    for (std::size_t row = 0; row < num_rows; ++row) {
      std::vector<double> const& found = rows_[row].destinations[static_cast<std::size_t>(thread)];
      std::size_t const size = num_results(thread, elements_of(row));
      for (std::size_t i = 0; i < size; ++i) {
        result += found[i] == wanted(thread, i, turn, row) ? 0 : 1;
      }
    }
    return result;
  }

private:
  struct Row {
    std::vector<std::vector<double>> sources;
    std::vector<std::vector<double>> destinations;
    Arrays arrays;
  };

  [[nodiscard]] std::size_t num_results(int thread, std::size_t num_elements) const {
    if (name_ == "broadcast" || name_ == "scatter") {
      return num_elements;
    }
    if (thread != 0) {
      return 0;
    }
    return name_ == "reduce" ? num_elements : num_elements * static_cast<std::size_t>(num_threads_);
  }

  [[nodiscard]] double wanted(int thread, std::size_t i, int turn, std::size_t row) const {
    std::size_t const n = elements_of(row);
    if (name_ == "broadcast") {
      return given(0, i, turn, row);
    }
    if (name_ == "scatter") {
      return given(0, static_cast<std::size_t>(thread) * n + i, turn, row);
    }
    if (name_ == "gather") {
      return given(static_cast<int>(i / n), i % n, turn, row);
    }
    double sum = 0;
    for (int other = 0; other < num_threads_; ++other) {
      sum += given(other, i, turn, row);
    }
    return sum;
  }

  std::string name_;
  int num_threads_;
  std::array<Row, num_rows> rows_;
};

/// How calls follow each other.
struct Manner {
  bool is_strict = false;  ///< a barrier behind each call, otherwise one behind several
  int times = 1;           ///< that each call is made, with the same arrays
};

int num_wrong(
    exec::ThreadCrew& crew, std::string const& name, Places const& places, Manner manner
) {
  auto const num_threads = static_cast<int>(places.size());
  bool const shares_cores = num_threads > 2;
  auto const barrier = make_tree_barrier(places, {.up = Signals::push}, shares_cores);
  auto const collective = make_collective(
      name, {.places = places, .shares_cores = shares_cores, .most_elements = most_elements}
  );
  Rows rows(name, num_threads);
  std::vector<int> wrong(places.size());
  crew.run(places.size(), [&](std::size_t number) {
    auto const thread = static_cast<int>(number);
    for (int turn = 0; turn < num_turns; ++turn) {
      rows.fill(thread, turn);
      barrier->wait(thread);
      for (std::size_t row = 0; row < num_rows; ++row) {
        for (int i = 0; i < manner.times; ++i) {
          collective->run(thread, rows.arrays(row), elements_of(row));
        }
        if (manner.is_strict) {
          barrier->wait(thread);
        }
      }
      barrier->wait(thread);
      wrong[number] += rows.num_wrong(thread, turn);
    }
  });
  int sum = 0;
  for (int const value : wrong) {
    sum += value;
  }
  return sum;
}

class ThreadCollectives : public testing::TestWithParam<char const*> {};

TEST_P(ThreadCollectives, GiveEachThreadWhatItShouldGet) {
  exec::ThreadCrew crew;
  for (int const num_threads : {1, 2, 3, 5, 8, 16}) {
    for (int const radix : {1, 2, 3, 4, 8, 16}) {
      for (Manner const manner : {Manner{}, Manner{.times = 3}, Manner{.is_strict = true}}) {
        EXPECT_EQ(num_wrong(crew, GetParam(), places_of(radix, num_threads), manner), 0)
            << num_threads << " threads, radix " << radix << ", " << manner.times << " times"
            << (manner.is_strict ? ", strict" : ", loose");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    ThreadCollectives,
    testing::Values("broadcast", "scatter", "gather", "reduce"),
    [](auto const& tested) { return std::string(tested.param); }
);

TEST(ThreadCollectivesByName, AreFour) {
  EXPECT_THROW(
      static_cast<void>(make_collective("scan", {.places = places_of(2, 3)})), std::invalid_argument
  );
}

}  // namespace
}  // namespace espalier::benchmarks::threads
