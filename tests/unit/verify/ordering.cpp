// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/ordering.hpp"

#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::verify {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

/// Sends and receives that wait for some of those before them.
RankProgram random_program(std::mt19937& random, int num_operations, bool has_waits) {
  RankProgram program;
  for (int i = 0; i < num_operations; ++i) {
    Operation operation{.kind = random() % 2 == 0 ? Kind::send : Kind::recv, .peer = 1};
    auto const begin = static_cast<int>(program.wait_pool.size());
    auto const any_before = [&] { return static_cast<int>(random() % static_cast<unsigned>(i)); };
    if (i > 0 && random() % 3 == 0) {
      operation.after = any_before();
    }
    for (int k = 0; has_waits && i > 0 && k < 2; ++k) {
      if (random() % 2 == 0) {
        program.wait_pool.push_back(any_before());
      }
    }
    operation.waits = {.begin = begin, .end = static_cast<int>(program.wait_pool.size())};
    program.operations.push_back(operation);
  }
  return program;
}

std::vector<std::vector<bool>> closure_of(RankProgram const& program) {
  std::size_t const n = program.operations.size();
  std::vector before(n, std::vector<bool>(n, false));
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(program.operations[j].after); ++i) {
      before[i][j] = program.operations[i].writes();
    }
    for (int const i : program.waits(program.operations[j])) {
      before[static_cast<std::size_t>(i)][j] = true;
    }
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = 0; before[k][j] && i < k; ++i) {
        before[i][j] = before[i][j] || before[i][k];
      }
    }
  }
  return before;
}

TEST(Ordering, IsTheTransitiveClosureOfWaiting) {
  constexpr unsigned seed = 20261121;
  std::mt19937 random(seed);
  for (int trial = 0; trial < 200; ++trial) {
    RankProgram const program = random_program(random, 2 + trial % 12, trial % 4 != 0);
    auto const expected = closure_of(program);
    Ordering ordering(program);
    auto const n = static_cast<int>(program.operations.size());
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < j; ++i) {
        EXPECT_EQ(
            ordering.is_before(i, j),
            expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]
        ) << "trial "
          << trial << ", seed " << seed << ": " << i << " before " << j;
      }
    }
  }
}

}  // namespace
}  // namespace espalier::verify
