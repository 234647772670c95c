// SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/verify/verify.hpp"

namespace espalier::verify {
namespace {

using algorithms::Choice;
using schedule::RankProgram;

TEST(ProverRule, HasANameOfItsOwn) {
  std::set<std::string> names;
  for (ProverRule const rule : all_rules) {
    names.emplace(to_string(rule));
  }
  EXPECT_EQ(names.size(), all_rules.size());
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(Violation, IsWrittenWithRuleAndPlace) {
  Violation violation{.rule = ProverRule::not_held, .rank = 3, .operation = 5, .text = "why"};
  EXPECT_EQ(to_string(violation), "not_held: rank 3, operation 5: why");
  violation.operation = -1;
  EXPECT_EQ(to_string(violation), "not_held: rank 3: why");
  violation.rank = -1;
  EXPECT_EQ(to_string(violation), "not_held: why");
}

TEST(Contract, RefusesNonsense) {
  EXPECT_NO_THROW((Contract{.num_ranks = 3, .root = 2}.check()));
  EXPECT_THROW((Contract{.num_ranks = 0}.check()), Error);
  EXPECT_THROW((Contract{.num_ranks = 3, .root = 3}.check()), Error);
  EXPECT_THROW((Contract{.num_ranks = 3, .root = -1}.check()), Error);
}

TEST(Verify, NeedsAProgramForEachRank) {
  std::vector<RankProgram> const programs{Choice::parse("allgather/ring").generate(2, 0, 0)};
  EXPECT_THROW(static_cast<void>(verify(programs, {.num_ranks = 2})), Error);
}

TEST(Prove, CountsWhatItSaw) {
  Verdict const verdict = prove(Choice::parse("bcast/binomial[segments=2]"), 5, 3);
  EXPECT_TRUE(verdict.holds());
  EXPECT_EQ(
      verdict.facts, (algorithms::Facts{.rounds = 6, .messages = 6, .blocks = 6, .volume = 6})
  );
}

TEST(Prove, RefusesRootOutOfRange) {
  EXPECT_THROW(static_cast<void>(prove(Choice::parse("bcast/binomial"), 5, 5)), Error);
}

}  // namespace
}  // namespace espalier::verify
