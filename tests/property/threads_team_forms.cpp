// SPDX-License-Identifier: Apache-2.0

/// @file
/// Whatever a team may be tuned to is executed by threads, in the programs that teams run, in every
/// form; with blocks of different sizes too, some of them empty.

#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/verify/verify.hpp"
#include "tests/property/one_sided_use.hpp"
#include "tests/support/team_forms.hpp"

namespace espalier::exec {
namespace {

using algorithms::Choice;
using schedule::Collective;
using schedule::OneSidedForm;
using test::OneSidedCase;
using test::TeamPlace;

#ifdef ESPALIER_FEW_RANKS
constexpr auto numbers = {2, 3};
constexpr auto numbers_on_nodes = {3};
#else
constexpr auto numbers = {1, 2, 3, 5, 8};
constexpr auto numbers_on_nodes = {6};
#endif

class ThreadsOfTeams : public testing::TestWithParam<std::tuple<Collective, int>> {
protected:
  /// All forms, up to the first wrong one. What arrives late goes to blocks of different sizes, if
  /// the choice takes them.
  void run_all(TeamPlace const& place) {
    test::for_each_team_form(
        place,
        [&](Choice const& choice, OneSidedCase const& the, OneSidedForm const& form) {
          if (testing::Test::HasFailure()) {
            return;
          }
          auto const programs = schedule::one_sided(form, the.survey(), the.program_of());
          verify::Contract contract = verify::contract_for(choice, place.num_ranks, place.root);
          contract.is_in_place = false;
          contract.synchronization = form.mode;
          UseOptions const equal{.sizes = BlockSizes::equal, .keeps_other_output = true};
          UseOptions other = equal;
          other.sizes = contract.has_equal_blocks ? BlockSizes::equal : BlockSizes::uneven;
          EXPECT_EQ(Use(programs, contract, equal).run(Delivery::at_once, crew_), 0)
              << test::name_of(place, choice, form) << ", at once";
          EXPECT_EQ(Use(programs, contract, other).run(Delivery::late, crew_), 0)
              << test::name_of(place, choice, form) << ", late";
          ++num_forms_;
        }
    );
  }

  [[nodiscard]] int num_forms() const noexcept { return num_forms_; }

private:
  ThreadCrew crew_;
  int num_forms_ = 0;
};

TEST_P(ThreadsOfTeams, GiveTheResultInEveryForm) {
  auto const [collective, num_ranks] = GetParam();
  run_all({collective, num_ranks, has_root(collective) ? num_ranks / 2 : 0});
  RecordProperty("num_forms", num_forms());
  EXPECT_GE(num_forms(), 18);
}

class ThreadsOfTeamsOnNodes : public ThreadsOfTeams {};

TEST_P(ThreadsOfTeamsOnNodes, GiveTheResultInEveryForm) {
  auto const [collective, num_ranks] = GetParam();
  for (std::vector<int> const& nodes : test::team_nodes(num_ranks)) {
    run_all({collective, num_ranks, has_root(collective) ? num_ranks / 2 : 0, nodes});
  }
  RecordProperty("num_forms", num_forms());
  EXPECT_GE(num_forms(), 100);
}

std::string name_of_case(testing::TestParamInfo<std::tuple<Collective, int>> const& tested) {
  auto const& [collective, num_ranks] = tested.param;
  return std::string(to_string(collective)) + "_p" + std::to_string(num_ranks);
}

INSTANTIATE_TEST_SUITE_P(
    ,
    ThreadsOfTeams,
    testing::Combine(testing::ValuesIn(test::team_collectives()), testing::ValuesIn(numbers)),
    name_of_case
);
INSTANTIATE_TEST_SUITE_P(
    ,
    ThreadsOfTeamsOnNodes,
    testing::Combine(
        testing::ValuesIn(test::team_collectives()), testing::ValuesIn(numbers_on_nodes)
    ),
    name_of_case
);

}  // namespace
}  // namespace espalier::exec
