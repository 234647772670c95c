// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/ranking/generated_choices.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/cost/ranking/queue_ranking.hpp"
#include "espalier/cost/replay/engine.hpp"
#include "espalier/cost/replay/replay.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;

Setting nodes() {
  machine::Machine machine =
      machine::read("3n[latency=1.5us,overhead=200ns,bandwidth=12.5GB/s,channels=1,eager=1KiB] x "
                    "4c[latency=300ns,overhead=200ns,bandwidth=8GB/s,shared_channels=2,eager=1KiB]"
      );
  std::vector<int> cores = machine::place(machine, "cyclic", 12);
  return {.machine = std::move(machine), .core_of = std::move(cores)};
}

std::vector<Sizes> all_sizes() {
  Sizes const different(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 12});
  return {Sizes(8), Sizes(0), Sizes(1000), Sizes(65537), different};
}

double replayed(GeneratedChoices& generated, std::size_t number, Sizes const& sizes) {
  Engine engine(generated.steps(number, sizes), generated.setting());
  engine.run();
  return engine.result().seconds();
}

/// With room for all programs, and for none.
TEST(GeneratedChoices, TakeTheTimeOfTheirChoiceAtEverySize) {
  Setting const setting = nodes();
  std::vector<Choice> const choices = algorithms::variants(schedule::Collective::allgather, 12);
  for (std::size_t const memory : {GeneratedChoices::most_memory_bytes, std::size_t{0}}) {
    GeneratedChoices generated(choices, 0, setting, memory);
    ASSERT_EQ(generated.size(), choices.size());
    for (Sizes const& sizes : all_sizes()) {
      for (std::size_t i = 0; i < generated.size(); ++i) {
        double const expected = replay_time(choices[i], 0, setting, sizes);
        EXPECT_EQ(replayed(generated, i, sizes), expected) << choices[i].text();
        EXPECT_LE(generated.lower_bound(i, sizes), expected) << choices[i].text();
      }
    }
  }
}

/// Its signals are sent although it has no bytes.
TEST(GeneratedChoices, KeepTheProgramsOfBarriers) {
  Setting const setting = nodes();
  std::vector<Choice> const choices = algorithms::variants(schedule::Collective::barrier, 12);
  GeneratedChoices generated(choices, 0, setting);
  for (std::size_t i = 0; i < generated.size(); ++i) {
    double const expected = replay_time(choices[i], 0, setting, 0);
    EXPECT_EQ(replayed(generated, i, 0), expected) << choices[i].text();
    EXPECT_EQ(replayed(generated, i, 0), expected) << "again: " << choices[i].text();
    EXPECT_GT(generated.lower_bound(i, 0), 0) << choices[i].text();
    EXPECT_LE(generated.lower_bound(i, 0), expected) << choices[i].text();
  }
}

TEST(GeneratedChoices, AreBoundedByTheBusiestPort) {
  Setting const setting = uniform({.latency = 3, .overhead_send = 2, .per_byte = 0.5}, 8);
  std::vector<Choice> const choices{Choice::parse("bcast/flat")};
  GeneratedChoices generated(choices, 0, setting);
  EXPECT_NEAR(generated.lower_bound(0, 10.0), 7 * (2 + 5), 1e-6);
  EXPECT_EQ(generated.lower_bound(0, 0.0), 0);
}

TEST(GeneratedChoices, LeaveOutWhatRefuses) {
  Setting const setting = nodes();
  std::vector<Choice> const choices{
      Choice::parse("allgather/recursive_doubling"), Choice::parse("allgather/ring")
  };
  GeneratedChoices const generated(choices, 0, setting);
  ASSERT_EQ(generated.size(), 1U);
  EXPECT_EQ(generated.choice(0), choices[1]);
}

TEST(BestTimes, AreTheLeastAndWhatIsNear) {
  BestTimes best({.least = 2, .most = 4, .factor = 3});
  EXPECT_EQ(best.limit(), std::numeric_limits<double>::infinity());
  best.add(10);
  EXPECT_EQ(best.limit(), std::numeric_limits<double>::infinity());
  best.add(100);
  EXPECT_EQ(best.limit(), 100) << "the second, though it is not near";
  best.add(12);
  EXPECT_EQ(best.limit(), 30) << "three times the best";
  best.add(11);
  best.add(20);
  EXPECT_EQ(best.limit(), 20) << "the fourth";
}

/// What is replayed first must not change what is found.
TEST(RankInQueues, FindsTheSameInAnyOrder) {
  Setting const setting = nodes();
  std::vector<Choice> const choices = algorithms::variants(schedule::Collective::allgather, 12);
  GeneratedChoices generated(choices, 0, setting);
  Cut const cut{.least = 3, .most = 5, .factor = 1.5};
  std::vector<Placed> const alone = rank_in_queues(generated, 4096.0, cut);
  std::vector<Placed> before = rank_in_queues(generated, 8.0, cut);
  std::ranges::reverse(before);
  std::vector<Placed> const after = rank_in_queues(generated, 4096.0, cut, before);
  ASSERT_EQ(alone.size(), choices.size());
  ASSERT_EQ(after.size(), choices.size());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(alone[i].is_exact);
    EXPECT_EQ(alone[i].number, after[i].number);
    EXPECT_EQ(alone[i].seconds, after[i].seconds);
  }
}

}  // namespace
}  // namespace espalier::cost
