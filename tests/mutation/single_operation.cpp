// SPDX-License-Identifier: Apache-2.0

/// @file
/// Every change of a single operation of every algorithm, for a few ranks; see mutator.hpp.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/verify/verify.hpp"
#include "tests/mutation/mutants.hpp"
#include "tests/mutation/mutator.hpp"

namespace espalier::mutation {
namespace {

using algorithms::Choice;
using algorithms::Collective;

Subject as_is(Choice const& choice, int num_ranks, int root) {
  return {
      .name = choice.text() + " on " + std::to_string(num_ranks) + " ranks",
      .programs = generate(choice.text(), num_ranks, root),
      .judge = [=](Programs const& programs
               ) { return verify::prove(choice, num_ranks, root, programs); },
  };
}

Subject reversed(Choice const& choice, int num_ranks, int root) {
  verify::Contract const contract{
      .collective = choice.collective() == Collective::bcast ? schedule::Collective::reduce
                                                             : schedule::Collective::reduce_scatter,
      .num_ranks = num_ranks,
      .root = root,
  };
  return {
      .name = "reversed " + choice.text() + " on " + std::to_string(num_ranks) + " ranks",
      .programs = generate_reversed(choice.text(), num_ranks, root),
      .judge = [=](Programs const& programs) { return verify::verify(programs, contract); },
  };
}

std::vector<int> numbers_of_ranks() {
#ifdef ESPALIER_FEW_RANKS
  return {2, 3, 4};
#else
  return {2, 3, 4, 5, 6};
#endif
}

class SingleOperation : public testing::TestWithParam<algorithms::Algorithm const*> {};

TEST_P(SingleOperation, ChangedIsRejected) {
  int num_mutants = 0;
  for (int const p : numbers_of_ranks()) {
    int const root = schedule::has_root(GetParam()->collective) ? p / 2 : 0;
    for (Choice const& choice : algorithms::variants(GetParam()->collective, p)) {
      if (&choice.algorithm() == GetParam()) {
        num_mutants += mutate(as_is(choice, p, root));
      }
    }
  }
  EXPECT_GT(num_mutants, 50);
}

TEST_P(SingleOperation, ChangedInSegmentsIsRejected) {
  constexpr int num_ranks = 4;
  for (Choice const& choice : algorithms::variants(GetParam()->collective, num_ranks)) {
    if (&choice.algorithm() == GetParam() && choice.segment_period(num_ranks) > 0) {
      algorithms::Arguments arguments = choice.arguments();
      arguments.set("segments", "3");
      std::string const name(choice.algorithm().name);
      int const root = schedule::has_root(choice.collective()) ? 1 : 0;
      Choice const in_segments = Choice::parse(choice.collective(), name + arguments.to_text());
      mutate(as_is(in_segments, num_ranks, root));
    }
  }
}

TEST_P(SingleOperation, ChangedInReverseIsRejected) {
  if (GetParam()->collective != Collective::bcast &&
      GetParam()->collective != Collective::allgather) {
    return;  // nothing else is run backwards
  }
  for (int const p : numbers_of_ranks()) {
    int const root = schedule::has_root(GetParam()->collective) ? p / 2 : 0;
    for (Choice const& choice : algorithms::variants(GetParam()->collective, p)) {
      bool const has_scratch = choice.refuses(p, root).empty() && choice.facts(p, root).scratch > 0;
      if (&choice.algorithm() == GetParam() && choice.num_segments() == 1 && !has_scratch) {
        mutate(reversed(choice, p, root));
      }
    }
  }
}

std::string name_of(testing::TestParamInfo<algorithms::Algorithm const*> const& tested) {
  return std::string(to_string(tested.param->collective)) + "_" + std::string(tested.param->name);
}

INSTANTIATE_TEST_SUITE_P(
    ,
    SingleOperation,
    testing::ValuesIn(algorithms::catalog().begin(), algorithms::catalog().end()),
    name_of
);

}  // namespace
}  // namespace espalier::mutation
