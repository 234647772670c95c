// SPDX-License-Identifier: Apache-2.0

/// @file
/// One-sided programs are executed by threads in every form.

#include <vector>

#include <gtest/gtest.h>

#include "espalier/verify/verify.hpp"
#include "tests/property/one_sided_use.hpp"
#include "tests/support/choice_name.hpp"
#include "tests/support/one_sided.hpp"

namespace espalier::exec {
namespace {

using schedule::OneSidedForm;
using test::one_sided_choices;
using verify::Contract;

std::vector<int> numbers_of_ranks() {
#ifdef ESPALIER_FEW_RANKS
  return {1, 2, 3, 5, 8};
#else
  return {1, 2, 3, 4, 5, 7, 8, 9};
#endif
}

class OneSidedThreads : public testing::TestWithParam<char const*> {
protected:
  /// Both ways of delivery, in all forms.
  void run_all(
      algorithms::Choice const& choice,
      int p,
      int root,
      bool is_in_place,
      std::vector<OneSidedForm> const& forms = test::one_sided_forms()
  ) {
    test::OneSidedCase const the(choice, p, root, is_in_place);
    for (OneSidedForm const& form : forms) {
      auto const programs = the.programs(form);
      Contract contract = verify::contract_for(choice, p, root);
      contract.is_in_place = is_in_place;
      contract.synchronization = form.mode;
      for (Delivery const delivery : {Delivery::at_once, Delivery::late}) {
        ASSERT_EQ(Use(programs, contract).run(delivery, crew_), 0)
            << test::name_of(choice, p, root, is_in_place, form)
            << (delivery == Delivery::late ? ", late" : ", at once");
      }
    }
  }

private:
  ThreadCrew crew_;
};

TEST_P(OneSidedThreads, GiveTheResultInEveryForm) {
  auto const choice = algorithms::Choice::parse(GetParam());
  for (int const p : numbers_of_ranks()) {
    int const root = has_root(choice.collective()) ? p / 2 : 0;
    if (!choice.refuses(p, root).empty()) {
      continue;
    }
    for (bool const is_in_place : test::places(choice.collective())) {
      run_all(choice, p, root, is_in_place);
    }
  }
}

TEST_P(OneSidedThreads, GiveTheResultWhereRanksOfNodesMeet) {
  auto const choice = algorithms::Choice::parse(GetParam());
  for (int const p : {3, 5, 8}) {
    if (choice.refuses(p, 0).empty()) {
      run_all(choice, p, 0, true, test::meeting_forms(p));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    , OneSidedThreads, testing::ValuesIn(one_sided_choices()), test::name_of_choice
);

}  // namespace
}  // namespace espalier::exec
