// SPDX-License-Identifier: Apache-2.0

#include "espalier/candidates/memory_variants.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::candidates {
namespace {

using algorithms::Choice;
using Texts = std::vector<std::string>;

Texts variants_of(Texts const& texts, std::vector<int> const& node_of_rank) {
  std::vector<Choice> choices;
  for (std::string const& text : texts) {
    choices.push_back(Choice::parse(text));
  }
  Texts result;
  for (Choice const& choice : memory_variants(choices, node_of_rank)) {
    result.push_back(choice.text());
  }
  return result;
}

TEST(MemoryVariants, AreThoseOfAllChoicesOnOneNode) {
  EXPECT_EQ(
      variants_of({"bcast/chain[segments=4]", "bcast/binomial"}, {7, 7, 7}),
      (Texts{"bcast/chain[segments=4,shared_memory=1]", "bcast/binomial[shared_memory=1]"})
  );
}

TEST(MemoryVariants, NeedGroupsOnSeveralNodes) {
  EXPECT_EQ(
      variants_of({"allgather/ring", "allgather/orthogonal[rows=2]"}, {0, 0, 1, 1}),
      Texts{"allgather/orthogonal[rows=2,shared_memory=1]"}
  );
}

TEST(MemoryVariants, AreNoneWhereRanksAreAlone) {
  EXPECT_EQ(variants_of({"allgather/orthogonal[rows=2]"}, {0, 1, 2, 3}), Texts{});
}

TEST(MemoryVariants, LeaveOutWhatTheLibraryRuns) {
  EXPECT_EQ(
      variants_of(
          {"allgather/orthogonal[inner=native]",
           "allgather/native[algorithm=ring]",
           "allgather/ring[shared_memory=1]"},
          {0, 0}
      ),
      Texts{}
  );
}

}  // namespace
}  // namespace espalier::candidates
