// SPDX-License-Identifier: Apache-2.0

/// The suite with threads as ranks, as they are and checked by a shadow.

#include <ostream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/onesided/suite/suite.hpp"
#include "tests/onesided/thread_ranks.hpp"

namespace espalier::onesided {

namespace suite {

static void PrintTo(Case const& one, std::ostream* out) {
  *out << one.name;
}

}  // namespace suite

namespace {

using suite::Case;

class Threads : public testing::TestWithParam<std::tuple<Case, bool>> {};

TEST_P(Threads, PassTheSuite) {
  auto const& [one, is_checked] = GetParam();
  for (int const num_ranks : {1, 2, 3, 5, 7, 8}) {
    std::vector<std::unique_ptr<suite::Work>> works;
    ThreadOptions options{.is_checked = is_checked};
    for (int rank = 0; rank < num_ranks; ++rank) {
      works.push_back(one.make());
      options.segment_bytes.push_back(works.back()->segment_bytes(rank));
      options.num_handlers = works.back()->handlers().size();
    }
    std::vector<suite::Checks> checks(works.size());
    run_ranks(options, [&](ThreadWorld& world, int rank) {
      auto const i = static_cast<std::size_t>(rank);
      auto const conduit = world.attach(rank, works[i]->handlers());
      works[i]->run(*conduit, checks[i]);
    });
    for (int rank = 0; rank < num_ranks; ++rank) {
      auto const& found = checks[static_cast<std::size_t>(rank)];
      EXPECT_GT(found.num_checks(), 0);
      for (std::string const& failure : found.failures()) {
        ADD_FAILURE() << "rank " << rank << " of " << num_ranks << ": " << failure;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Suite,
    Threads,
    testing::Combine(testing::ValuesIn(suite::cases()), testing::Bool()),
    [](auto const& test) {
      return std::get<0>(test.param).name + (std::get<1>(test.param) ? "_checked" : "");
    }
);

}  // namespace
}  // namespace espalier::onesided
