// SPDX-License-Identifier: Apache-2.0

/// @file
/// Nothing is timed before it is proved: whatever a team may be tuned to is proved in the programs
/// that teams run, in every mode, by every mechanism that is offered, in both address modes.

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/verify/verify.hpp"
#include "tests/support/team_forms.hpp"

namespace espalier::verify {
namespace {

using algorithms::Choice;
using schedule::Collective;
using schedule::OneSidedForm;
using test::OneSidedCase;
using test::TeamPlace;

#ifdef ESPALIER_FEW_RANKS
constexpr auto numbers = {1, 2, 3, 5};
constexpr auto numbers_on_nodes = {3, 5};
#else
/// From 9 on the rule cuts long vectors, and 16 has trees of two levels for every radix.
constexpr auto numbers = {1, 2, 3, 4, 5, 7, 8, 9, 16};
constexpr auto numbers_on_nodes = {3, 4, 5, 6, 8};
#endif

/// The number of proofs; ends with the first form that does not hold.
int prove_all(TeamPlace const& place) {
  int num_proved = 0;
  test::for_each_team_form(
      place,
      [&](Choice const& choice, OneSidedCase const& the, OneSidedForm const& form) {
        if (testing::Test::HasFailure()) {
          return;
        }
        Contract contract = contract_for(choice, place.num_ranks, place.root);
        contract.is_in_place = false;
        contract.synchronization = form.mode;
        Verdict const verdict =
            verify(schedule::one_sided(form, the.survey(), the.program_of()), contract);
        EXPECT_TRUE(verdict.holds())
            << test::name_of(place, choice, form) << ": " << to_string(*verdict.violation);
        ++num_proved;
      }
  );
  return num_proved;
}

class TeamForms : public testing::TestWithParam<std::tuple<Collective, int>> {};

TEST_P(TeamForms, AreProved) {
  auto const [collective, num_ranks] = GetParam();
  int num_proved = 0;
  for (int const root : test::team_roots(collective, num_ranks)) {
    num_proved += prove_all({.collective = collective, .num_ranks = num_ranks, .root = root});
  }
  RecordProperty("num_proved", num_proved);
  EXPECT_GE(num_proved, 18);
}

class TeamFormsOnNodes : public testing::TestWithParam<std::tuple<Collective, int>> {};

TEST_P(TeamFormsOnNodes, AreProved) {
  auto const [collective, num_ranks] = GetParam();
  int num_proved = 0;
  for (std::vector<int> const& nodes : test::team_nodes(num_ranks)) {
    for (int const root : test::team_roots(collective, num_ranks)) {
      num_proved += prove_all({collective, num_ranks, root, nodes});
    }
  }
  RecordProperty("num_proved", num_proved);
  EXPECT_GE(num_proved, 100);
}

/// The numbers of ranks above are such that each algorithm is offered for one of them at least.
TEST(TeamOffers, HaveEveryAlgorithmOfTheCatalog) {
  std::vector<algorithms::Algorithm const*> offered;
  for (Collective const collective : test::team_collectives()) {
    for (int const num_ranks : numbers) {
      for (test::TeamOffer const& offer : test::team_offers({collective, num_ranks})) {
        offered.push_back(&offer.choice.algorithm());
      }
    }
  }
  for (algorithms::Algorithm const* const algorithm : algorithms::catalog()) {
    auto const collectives = test::team_collectives();
    if (std::ranges::find(collectives, algorithm->collective) != collectives.end()) {
      EXPECT_NE(std::ranges::find(offered, algorithm), offered.end())
          << to_string(algorithm->collective) << "/" << algorithm->name;
    }
  }
}

std::string name_of_case(testing::TestParamInfo<std::tuple<Collective, int>> const& tested) {
  auto const& [collective, num_ranks] = tested.param;
  return std::string(to_string(collective)) + "_p" + std::to_string(num_ranks);
}

INSTANTIATE_TEST_SUITE_P(
    ,
    TeamForms,
    testing::Combine(testing::ValuesIn(test::team_collectives()), testing::ValuesIn(numbers)),
    name_of_case
);
INSTANTIATE_TEST_SUITE_P(
    ,
    TeamFormsOnNodes,
    testing::Combine(
        testing::ValuesIn(test::team_collectives()), testing::ValuesIn(numbers_on_nodes)
    ),
    name_of_case
);

}  // namespace
}  // namespace espalier::verify
