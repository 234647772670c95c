// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/choices/team_memory.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::capi {
namespace {

using algorithms::Choice;
using schedule::Collective;
using schedule::Mechanism;

SafeRequest request_of(Collective collective, std::int64_t block_bytes, int root = 0) {
  return {.collective = collective, .num_ranks = 8, .root = root, .block_bytes = block_bytes};
}

SafeRequest bcast_of(std::int64_t block_bytes, int root = 0) {
  return request_of(Collective::bcast, block_bytes, root);
}

SafeChoice choice_of(std::string_view text, Mechanism mechanism = Mechanism::eager) {
  return {.choice = Choice::parse(text), .mechanism = mechanism};
}

void remember(TeamMemory& memory, SafeRequest const& request, std::string_view text) {
  memory.remember(request, {}, choice_of(text));
}

/// What is recalled, as "tuned bcast/chain".
std::vector<std::string>
recalled(TeamMemory const& memory, SafeRequest const& request, NamedParts const& named = {}) {
  std::vector<std::string> result;
  for (auto const& [choice, origin] : memory.recall(request, named)) {
    result.push_back(std::string(to_string(origin)) + " " + choice.choice.text());
  }
  return result;
}

using Texts = std::vector<std::string>;

TEST(TeamMemory, KnowsNothingAtFirst) {
  EXPECT_EQ(recalled(TeamMemory(), bcast_of(8)), Texts());
}

TEST(TeamMemory, RecallsWhatWasMeasuredForTheSame) {
  TeamMemory memory;
  remember(memory, bcast_of(8), "bcast/chain");
  EXPECT_EQ(recalled(memory, bcast_of(8)), Texts{"tuned bcast/chain"});
  EXPECT_EQ(memory.recall(bcast_of(8), {}).front().choice, choice_of("bcast/chain"));
}

TEST(TeamMemory, KeepsTheLastOfWhatWasMeasuredForTheSame) {
  TeamMemory memory;
  remember(memory, bcast_of(8), "bcast/chain");
  remember(memory, bcast_of(8), "bcast/binomial");
  EXPECT_EQ(recalled(memory, bcast_of(8)), Texts{"tuned bcast/binomial"});
  EXPECT_EQ(memory.size(), 1U);
}

TEST(TeamMemory, TakesSizesUpToTheFarthest) {
  TeamMemory memory;
  remember(memory, bcast_of(1000), "bcast/chain");
  EXPECT_EQ(recalled(memory, bcast_of(500)), Texts{"nearest bcast/chain"});
  EXPECT_EQ(recalled(memory, bcast_of(2000)), Texts{"nearest bcast/chain"});
  EXPECT_EQ(recalled(memory, bcast_of(499)), Texts());
  EXPECT_EQ(recalled(memory, bcast_of(2001)), Texts());
}

TEST(TeamMemory, TakesNothingForNoData) {
  TeamMemory memory;
  remember(memory, bcast_of(1), "bcast/chain");
  EXPECT_EQ(recalled(memory, bcast_of(0)), Texts());
  remember(memory, bcast_of(0), "bcast/binomial");
  EXPECT_EQ(recalled(memory, bcast_of(0)), Texts{"tuned bcast/binomial"});
  EXPECT_EQ(recalled(memory, bcast_of(1)), Texts{"tuned bcast/chain"});
}

TEST(TeamMemory, RecallsTheNearestFirst) {
  TeamMemory memory;
  remember(memory, bcast_of(2000), "bcast/chain");
  remember(memory, bcast_of(1100), "bcast/binomial");
  remember(memory, bcast_of(500), "bcast/k_ary[k=2]");
  // 2000 and 500 are equally near.
  Texts const expected{"nearest bcast/binomial", "nearest bcast/k_ary[k=2]", "nearest bcast/chain"};
  EXPECT_EQ(recalled(memory, bcast_of(1000)), expected);
}

TEST(TeamMemory, TakesRootsForEachOtherButRankZero) {
  TeamMemory memory;
  remember(memory, bcast_of(8, 3), "bcast/chain");
  remember(memory, bcast_of(8, 6), "bcast/binomial");
  EXPECT_EQ(recalled(memory, bcast_of(8, 0)), Texts());
  Texts const expected{"nearest bcast/binomial", "nearest bcast/chain"};
  EXPECT_EQ(recalled(memory, bcast_of(8, 5)), expected);
  Texts const same{"tuned bcast/chain", "nearest bcast/binomial"};
  EXPECT_EQ(recalled(memory, bcast_of(8, 3)), same);
}

TEST(TeamMemory, TakesNothingOfOtherRequests) {
  TeamMemory memory;
  remember(memory, bcast_of(8), "bcast/chain");
  SafeRequest other = bcast_of(8);
  other.addresses = schedule::AddressMode::local;
  EXPECT_EQ(recalled(memory, other), Texts());
  other = bcast_of(8);
  other.mode.in = schedule::Sync::allsync;
  EXPECT_EQ(recalled(memory, other), Texts());
  other = bcast_of(8);
  other.num_ranks = 7;
  EXPECT_EQ(recalled(memory, other), Texts());
  EXPECT_EQ(recalled(memory, request_of(Collective::scatter, 8)), Texts());
}

TEST(TeamMemory, TellsOperatorsApart) {
  TeamMemory memory;
  SafeRequest const any = request_of(Collective::allreduce, 8);
  SafeRequest ordered = any;
  ordered.needs_rank_order = true;
  remember(memory, any, "allreduce/ring");
  EXPECT_EQ(recalled(memory, ordered), Texts());
  remember(memory, ordered, "allreduce/in_order");
  EXPECT_EQ(recalled(memory, ordered), Texts{"tuned allreduce/in_order"});
  EXPECT_EQ(recalled(memory, any), Texts{"tuned allreduce/ring"});
}

TEST(TeamMemory, RecallsWhatWasMeasuredWithTheSameNames) {
  TeamMemory memory;
  NamedParts const eager{.mechanism = Mechanism::eager};
  NamedParts const chain{.algorithm = Choice::parse("bcast/chain")};
  memory.remember(bcast_of(8), eager, choice_of("bcast/binomial"));
  EXPECT_EQ(recalled(memory, bcast_of(8)), Texts());
  EXPECT_EQ(recalled(memory, bcast_of(8), chain), Texts());
  EXPECT_EQ(recalled(memory, bcast_of(8), eager), Texts{"tuned bcast/binomial"});
}

}  // namespace
}  // namespace espalier::capi
