// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/ranking/ranking.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/cost/replay/replay.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;

Setting nodes(double channels) {
  machine::Machine machine = machine::Machine::parse("node:3 core:4");
  machine.set_link(
      0,
      {.latency = 10,
       .overhead_send = 2,
       .overhead_receive = 1,
       .gap = 1,
       .per_byte = 0.01,
       .channels = channels}
  );
  machine.set_link(1, {.latency = 1, .overhead_send = 1, .gap = 0.5, .per_byte = 0.005});
  std::vector<int> cores = machine::place(machine, "block", 12);
  return {.machine = std::move(machine), .core_of = std::move(cores)};
}

void expect_best(schedule::Collective collective, double bytes, int num_best) {
  SCOPED_TRACE(std::string(to_string(collective)) + " " + std::to_string(bytes));
  Setting const setting = nodes(1);
  std::vector<Choice> const candidates = algorithms::variants(collective, setting.num_ranks());
  std::vector<double> times;
  for (Choice const& candidate : candidates) {
    times.push_back(replay_time(candidate, 0, setting, bytes));
  }
  std::vector<Ranked> const ranked = best(candidates, 0, setting, bytes, num_best);
  ASSERT_EQ(ranked.size(), candidates.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    auto const at = std::ranges::find(candidates, ranked[i].choice) - candidates.begin();
    double const time = times[static_cast<std::size_t>(at)];
    if (ranked[i].is_exact) {
      EXPECT_EQ(ranked[i].seconds, time) << ranked[i].choice.text();
    } else {
      EXPECT_LE(ranked[i].seconds, time) << ranked[i].choice.text();
    }
  }
  std::ranges::sort(times);
  for (std::size_t i = 0; i < std::min<std::size_t>(times.size(), std::size_t(num_best)); ++i) {
    EXPECT_TRUE(ranked[i].is_exact);
    EXPECT_EQ(ranked[i].seconds, times[i]) << i;
  }
}

TEST(Best, IsWhatReplayingAllSays) {
  for (schedule::Collective const collective : schedule::all_collectives()) {
    for (double const bytes : {0.0, 8.0, 1e6}) {
      for (int const num_best : {1, 3}) {
        expect_best(collective, bytes, num_best);
      }
    }
  }
}

TEST(Best, GivesUpWhatIsSlower) {
  std::vector<Choice> const candidates{
      Choice::parse("allgather/ring"), Choice::parse("allgather/bruck")
  };
  std::vector<Ranked> const small = best(candidates, 0, nodes(1), 12);
  EXPECT_EQ(small.front().choice, candidates[1]);
  EXPECT_FALSE(small.back().is_exact);
}

TEST(Best, LeavesOutWhatRefuses) {
  std::vector<Choice> const candidates{
      Choice::parse("allgather/recursive_doubling"), Choice::parse("allgather/ring")
  };
  ASSERT_NE(candidates[0].refuses(12, 0), "");
  EXPECT_EQ(best(candidates, 0, nodes(1), 12).size(), 1U);
  EXPECT_THROW(static_cast<void>(best(candidates, 0, nodes(1), 12, 0)), Error);
}

}  // namespace
}  // namespace espalier::cost
