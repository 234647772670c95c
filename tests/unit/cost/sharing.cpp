// SPDX-License-Identifier: Apache-2.0

/// @file
/// The replay where messages share lines equally.

#include "espalier/cost/replay/sharing.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/cost/ranking/shared_ranking.hpp"
#include "espalier/cost/replay/flows.hpp"
#include "espalier/cost/replay/replay.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;

constexpr double never = std::numeric_limits<double>::infinity();

using Ids = std::vector<Flows::Id>;

/// Those that end at a time.
Ids end(Flows& flows, double time) {
  Ids ended;
  flows.end_until(time, ended);
  return ended;
}

TEST(Flows, ShareALineEquallyUntilOneEnds) {
  Flows flows{std::array{10.0}};
  std::array<std::size_t, 1> const line{0};
  EXPECT_EQ(flows.next_end(), never);
  flows.begin(0, line, 100, 0);
  flows.begin(1, line, 50, 0);
  EXPECT_EQ(flows.next_end(), 10) << "each has 5 bytes a second";
  EXPECT_EQ(end(flows, 10), Ids{1});
  EXPECT_EQ(flows.next_end(), 15) << "50 bytes are left for the whole line";
  EXPECT_EQ(end(flows, 15), Ids{0});
  EXPECT_EQ(flows.next_end(), never);
}

TEST(Flows, ThatEndTogetherAreTakenTogether) {
  Flows flows{std::array{30.0}};
  std::array<std::size_t, 1> const line{0};
  for (Flows::Id const id : {7, 2, 5}) {
    flows.begin(id, line, 100, 0);
  }
  EXPECT_EQ(flows.next_end(), 10);
  EXPECT_EQ(end(flows, 10), (Ids{2, 5, 7}));
  EXPECT_EQ(flows.next_end(), never);
}

/// What is left counts at the speed of the line that holds it up.
TEST(Flows, AreHeldUpByAnotherLineWhenOthersComeAndGo) {
  Flows flows{std::array{10.0, 12.0}};
  flows.begin(0, std::array<std::size_t, 2>{0, 1}, 100, 0);
  EXPECT_EQ(flows.next_end(), 10);
  flows.begin(1, std::array<std::size_t, 1>{1}, 30, 5);
  EXPECT_EQ(flows.next_end(), 10) << "30 bytes at 6 a second";
  EXPECT_EQ(end(flows, 10), Ids{1});
  EXPECT_EQ(flows.next_end(), 12) << "50 bytes at 10 a second, 30 at 6, the last 20 at 10";
  EXPECT_EQ(end(flows, 12), Ids{0});
}

TEST(Flows, HaveTheLeastOfTheirShares) {
  Flows flows{std::array{10.0, 2.0}};
  flows.begin(0, std::array<std::size_t, 2>{0, 1}, 20, 0);
  flows.begin(1, std::array<std::size_t, 1>{0}, 20, 0);
  EXPECT_EQ(flows.next_end(), 4) << "half of the first line, though the other cannot use its half";
  EXPECT_EQ(end(flows, 4), Ids{1});
  EXPECT_EQ(flows.next_end(), 10);
}

TEST(Flows, ComeLater) {
  Flows flows{std::array{10.0}};
  std::array<std::size_t, 1> const line{0};
  flows.begin(3, line, 100, 0);
  EXPECT_EQ(flows.next_end(), 10);
  flows.begin(0, line, 100, 5);
  EXPECT_EQ(flows.next_end(), 15);
  EXPECT_EQ(end(flows, 15), Ids{3});
  EXPECT_EQ(flows.next_end(), 20);
}

/// The platform 16x8 of benchmarks/platforms.toml.
Setting platform() {
  machine::Machine machine =
      machine::read("16n[latency=1.5us,overhead=200ns,bandwidth=12.5GB/s,channels=1,eager=16KiB] x "
                    "8c[latency=300ns,overhead=200ns,bandwidth=8GB/s,shared_channels=4,eager=16KiB]"
      );
  std::vector<int> cores = machine::place(machine, "block", 128);
  return {.machine = std::move(machine), .core_of = std::move(cores)};
}

struct Simulated {
  char const* choice;
  double num_bytes;
  double microseconds;  ///< by SimGrid 3.32, with the build's measuring program
};

/// What the queues of replay.hpp get wrong by up to a factor of 2.
TEST(SharedTime, IsThatOfTheSimulator) {
  Setting const setting = platform();
  for (auto const& [text, num_bytes, microseconds] : {
           Simulated{"bcast/two_tree[pieces=16]", 1048576, 322.68},
           Simulated{
               "bcast/multi_lane[rows=16,split=flat,lane=scatter_allgather,join=ring]",
               1048576,
               699.59
           },
           Simulated{
               "bcast/multi_lane[rows=16,split=flat,lane=binomial,join=ring]", 131072, 128.90
           },
           Simulated{"scatter/flat", 1048576, 80.718},
           Simulated{"scatter/orthogonal[rows=16,inner=flat,across=flat]", 1048576, 88.941},
           Simulated{"scatter/orthogonal[rows=16,inner=k_nomial[k=4],across=flat]", 131072, 14.5},
       }) {
    double const ours = shared_time(Choice::parse(text), 0, setting, num_bytes) * 1e6;
    EXPECT_NEAR(ours / microseconds, 1, 0.05) << text;
  }
  double const queued = replay_time(Choice::parse("scatter/flat"), 0, setting, 1048576) * 1e6;
  EXPECT_GT(queued / 80.718, 1.3);
}

TEST(SharedTime, IsThatOfQueuesWhereNothingIsShared) {
  Setting const setting = uniform({.latency = 3, .per_byte = 0.5, .eager_bytes = 0}, 8);
  Choice const choice = Choice::parse("bcast/chain");
  EXPECT_NEAR(shared_time(choice, 0, setting, 16), 7 * (3 + 8), 1e-9);
  EXPECT_NEAR(shared_time(choice, 0, setting, 16), replay_time(choice, 0, setting, 16), 1e-9);
}

TEST(BestSharing, KnowsThatSegmentsUnderWayTogetherAreLate) {
  Setting const setting = platform();
  std::vector<Choice> const candidates{
      Choice::parse("bcast/orthogonal[rows=16,inner=chain,across=chain,segments=64]"),
      Choice::parse("bcast/two_tree[pieces=16]"),
  };
  std::array<Sizes, 1> const sizes{1048576.0};
  std::vector<Ranked> const ranked = best_sharing(candidates, 0, setting, sizes, 2).front();
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].choice, candidates[1]);
  EXPECT_NEAR(ranked[0].seconds, shared_time(candidates[1], 0, setting, 1048576), 1e-12);
  EXPECT_TRUE(ranked[1].is_exact);
  EXPECT_THROW((void)best_sharing(candidates, 0, setting, sizes, 0), Error);
}

/// The order in which sizes are asked for, and what else is, changes what is tried first only.
TEST(BestSharing, FindsAtManySizesWhatItFindsAtEach) {
  Setting const setting = platform();
  std::vector<Choice> const candidates{
      Choice::parse("bcast/binomial"),
      Choice::parse("bcast/chain[segments=16]"),
      Choice::parse("bcast/flat"),
      Choice::parse("bcast/two_tree[pieces=16]"),
      Choice::parse("bcast/two_tree[pieces=64]"),
      Choice::parse("bcast/scatter_allgather"),
      Choice::parse("bcast/orthogonal[rows=16,inner=flat,across=binomial]"),
      Choice::parse("bcast/orthogonal[rows=16,inner=binomial,across=binomial]"),
      Choice::parse("bcast/orthogonal[rows=16,inner=chain,across=chain,segments=64]"),
      Choice::parse("bcast/multi_lane[rows=16,split=flat,lane=scatter_allgather,join=ring]"),
  };
  std::array<Sizes, 3> const sizes{8.0, 1048576.0, 16384.0};
  auto const together = best_sharing(candidates, 0, setting, sizes, 2);
  ASSERT_EQ(together.size(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    auto const alone = best_sharing(candidates, 0, setting, std::span(&sizes.at(i), 1), 2).front();
    ASSERT_EQ(together[i].size(), candidates.size());
    for (std::size_t place = 0; place < 2; ++place) {
      EXPECT_TRUE(together[i][place].is_exact);
      EXPECT_EQ(together[i][place].choice, alone[place].choice) << i;
      EXPECT_EQ(together[i][place].seconds, alone[place].seconds) << i;
    }
  }
}

}  // namespace
}  // namespace espalier::cost
