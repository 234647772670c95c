// SPDX-License-Identifier: Apache-2.0

/// @file
/// Of which nonblocking calls a run tries something, by what earlier runs and rules say.

#include "espalier/plan/learning/started_kinds.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/profile/profile.hpp"

namespace espalier::plan {
namespace {

constexpr double one_second = 1;

KindOfCalls iallgathers(std::int64_t bytes, int num_ranks = 8) {
  profile::Shape const shape{.num_ranks = num_ranks, .num_nodes = 2};
  return kind_of(profile::Call::allgather, shape, bytes, profile::Form::nonblocking);
}

/// Calls of which an earlier run only knows a candidate.
Trials untried(KindOfCalls const& kind, double seconds = 1e-3) {
  Trials trials{.kind = kind, .num_calls = 100, .seconds = seconds};
  trials.add("allgather/ring", 1e-4);
  trials.record.candidates[0].seconds = 0;
  return trials;
}

std::map<KindOfCalls, Trials> all(std::vector<Trials> const& of_kinds) {
  std::map<KindOfCalls, Trials> result;
  for (Trials const& trials : of_kinds) {
    result[trials.kind] = trials;
  }
  return result;
}

profile::Profile rule(std::string const& collective, std::string const& algorithm) {
  return profile::Profile::parse(
      R"({"schema": "espalier-profile", "version": 1, "mpi": {"vendor": "openmpi"}, "rules": [
          {"collective": ")" +
          collective + R"(", "num_ranks": 8, "num_nodes": 2, "min_bytes": 0, "max_bytes": null,
           "algorithm": ")" +
          algorithm + R"(", "reason": "measured"}]})",
      "memory.json"
  );
}

TEST(StartedKinds, AreThoseThatAnEarlierRunHasCandidatesFor) {
  Trials const nothing{.kind = iallgathers(1 << 20), .num_calls = 100, .seconds = 1e-3};
  Trials const blocking{.kind = kind_of(profile::Call::bcast, {.num_ranks = 8}, 64)};
  StartedKinds const kinds(
      all({untried(iallgathers(1500)), nothing, blocking}), {}, {.seconds = one_second}
  );
  EXPECT_NE(kinds.find(iallgathers(1500)), nullptr);
  EXPECT_EQ(kinds.find(nothing.kind), nullptr);
  EXPECT_EQ(kinds.find(blocking.kind), nullptr);
  EXPECT_TRUE(kinds.tries(iallgathers(1500).shape));
  EXPECT_FALSE(kinds.tries(iallgathers(1500, 4).shape));
  EXPECT_FALSE(kinds.seconds().empty());
  EXPECT_EQ(kinds.seconds().size(), kinds.find(iallgathers(1500))->num_trials());
}

TEST(StartedKinds, SpendTheBudgetOnWhatIsMostAtStake) {
  auto const earlier = all({untried(iallgathers(1500), 1e-3), untried(iallgathers(1 << 20), 2e-3)});
  StartedKinds const both(earlier, {}, {.seconds = one_second});
  double const enough = both.cost();
  ASSERT_GT(enough, 0);
  StartedKinds const one(earlier, {}, {.seconds = 0.75 * enough});
  EXPECT_GT(one.find(iallgathers(1 << 20))->num_trials(), 0);
  EXPECT_EQ(one.find(iallgathers(1500))->num_trials(), 0);
  EXPECT_LE(one.cost(), 0.75 * enough);
  EXPECT_FALSE(StartedKinds(earlier, {}, {.seconds = 0}).tries(iallgathers(1500).shape));
}

TEST(StartedKinds, LeaveAloneWhatRulesOfOthersServe) {
  auto const earlier = all({untried(iallgathers(1500))});
  Settings named;
  named.profile = rule("iallgather", "allgather/bruck");
  EXPECT_EQ(StartedKinds(earlier, named, {.seconds = one_second}).find(iallgathers(1500)), nullptr);
  Settings of_site;
  of_site.site = rule("iallgather", "allgather/bruck");
  EXPECT_EQ(
      StartedKinds(earlier, of_site, {.seconds = one_second}).find(iallgathers(1500)), nullptr
  );
}

TEST(StartedKinds, CheckWhatWasLearnedOfThisFormAlone) {
  auto const earlier = all({untried(iallgathers(1500))});
  Settings learned;
  learned.memory = rule("iallgather", "allgather/ring");
  StartedKinds const checked(earlier, learned, {.seconds = one_second});
  ASSERT_NE(checked.find(iallgathers(1500)), nullptr);
  EXPECT_EQ(checked.cost(), 0) << "checks are native calls now and then";
  learned.memory = rule("allgather", "allgather/ring");
  EXPECT_GT(StartedKinds(earlier, learned, {.seconds = one_second}).cost(), 0);
}

/// A rule for calls between neighbours names one of their algorithms, which is no choice.
TEST(StartedKinds, CheckWhatWasLearnedOfNeighbors) {
  profile::Shape shape{.num_ranks = 8, .num_nodes = 2};
  shape.topology = profile::Topology::grid;
  shape.max_neighbors = 4;
  Trials trials{
      .kind = kind_of(profile::Call::neighbor_alltoall, shape, 1500, profile::Form::nonblocking),
      .num_calls = 1000,
      .seconds = 1e-3,
  };
  trials.add("neighbor_alltoall/direct", 1e-4);
  trials.add("neighbor_alltoall/combining", 1e-4);
  StartedKinds const tried(all({trials}), {}, {.seconds = one_second});
  ASSERT_NE(tried.find(trials.kind), nullptr);
  EXPECT_GT(tried.cost(), 0);
  Settings learned;
  learned.memory = rule(
      R"(ineighbor_alltoall", "max_neighbors": 4, "topology": "grid)", "neighbor_alltoall/combining"
  );
  StartedKinds const checked(all({trials}), learned, {.seconds = one_second});
  ASSERT_NE(checked.find(trials.kind), nullptr);
  EXPECT_EQ(checked.cost(), 0) << "checks are native calls now and then";
  EXPECT_TRUE(checked.tries(shape));
}

TEST(StartedKinds, FindNothingWhereNoTrialWasMade) {
  StartedKinds const kinds(all({untried(iallgathers(1500))}), {}, {.seconds = one_second});
  std::vector<double> seconds = kinds.seconds();
  StartedKinds::Found const nothing = kinds.found(seconds);
  EXPECT_TRUE(nothing.trials.empty());
  EXPECT_TRUE(nothing.lessons.empty());
  std::ranges::fill(seconds, 1e-3);
  EXPECT_EQ(kinds.found(seconds).trials.size(), 1);
  EXPECT_EQ(kinds.lost(), 0) << "this rank made none";
}

}  // namespace
}  // namespace espalier::plan
