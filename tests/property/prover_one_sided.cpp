// SPDX-License-Identifier: Apache-2.0

/// @file
/// One-sided programs of schedules of the catalog are proved in every mode, by every mechanism, in
/// both address modes.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/verify/verify.hpp"
#include "tests/support/choice_name.hpp"
#include "tests/support/one_sided.hpp"

namespace espalier::verify {
namespace {

using test::one_sided_choices;

/// p = 1 .. 17, 32 and 33; fewer in slow builds.
std::vector<int> numbers_of_ranks() {
#ifdef ESPALIER_FEW_RANKS
  return {1, 2, 3, 5, 8};
#else
  std::vector<int> numbers;
  for (int p = 1; p <= 17; ++p) {
    numbers.push_back(p);
  }
  numbers.insert(numbers.end(), {32, 33});
  return numbers;
#endif
}

/// First, last and some in between; of many ranks only these two.
std::vector<int> roots_of(schedule::Collective collective, int p) {
  std::vector<int> roots{0};
  for (int const root : {1, p / 2, p - 1}) {
    bool const is_wanted = has_root(collective) && root < p && (p <= 9 || root == p - 1);
    if (is_wanted && std::ranges::find(roots, root) == roots.end()) {
      roots.push_back(root);
    }
  }
  return roots;
}

class OneSidedChoice : public testing::TestWithParam<char const*> {};

TEST_P(OneSidedChoice, IsProvedInEveryForm) {
  auto const choice = algorithms::Choice::parse(GetParam());
  int num_proved = 0;
  for (int const p : numbers_of_ranks()) {
    for (int const root : roots_of(choice.collective(), p)) {
      if (!choice.refuses(p, root).empty()) {
        continue;
      }
      for (bool const is_in_place : test::places(choice.collective())) {
        test::OneSidedCase const the(choice, p, root, is_in_place);
        for (schedule::OneSidedForm const& form : test::one_sided_forms()) {
          Contract contract = contract_for(choice, p, root);
          contract.is_in_place = is_in_place;
          contract.synchronization = form.mode;
          Verdict const verdict = verify(the.programs(form), contract);
          ASSERT_TRUE(verdict.holds()) << test::name_of(choice, p, root, is_in_place, form) << ": "
                                       << to_string(*verdict.violation);
          ++num_proved;
        }
      }
    }
  }
  EXPECT_GE(num_proved, 63 * 3);
}

TEST_P(OneSidedChoice, IsProvedWhereRanksOfNodesMeet) {
  auto const choice = algorithms::Choice::parse(GetParam());
  int num_proved = 0;
  for (int const p : {2, 3, 5, 6, 8, 9}) {
    if (!choice.refuses(p, 0).empty()) {
      continue;
    }
    test::OneSidedCase const the(choice, p, 0, true);
    for (schedule::OneSidedForm const& form : test::meeting_forms(p)) {
      Contract contract = contract_for(choice, p, 0);
      contract.is_in_place = true;
      contract.synchronization = form.mode;
      Verdict const verdict = verify(the.programs(form), contract);
      ASSERT_TRUE(verdict.holds())
          << test::name_of(choice, p, 0, true, form) << ": " << to_string(*verdict.violation);
      ++num_proved;
    }
  }
  EXPECT_GE(num_proved, 100);
}

/// What a program made for another mode lacks shows: the rules see more than that programs end.
TEST(OneSidedModes, AreNotKeptByProgramsOfWeakerModes) {
  auto const choice = algorithms::Choice::parse("bcast/k_nomial[k=2]");
  constexpr int p = 8;
  test::OneSidedCase const the(choice, p, 0, true);
  auto const broken = [&](schedule::OneSidedForm const& form, schedule::Synchronization mode) {
    Contract contract = contract_for(choice, p, 0);
    contract.synchronization = mode;
    Verdict const verdict = verify(the.programs(form), contract);
    return verdict.holds() ? "nothing" : std::string(to_string(verdict.violation->rule));
  };
  using schedule::Mechanism;
  using schedule::Sync;
  constexpr auto single = schedule::AddressMode::single;
  schedule::OneSidedForm const loose{{}, single, Mechanism::signaling_put};
  EXPECT_EQ(broken(loose, {}), "nothing");
  EXPECT_EQ(broken(loose, {.in = Sync::mysync}), "too_early");
  EXPECT_EQ(broken(loose, {.out = Sync::mysync}), "nothing");
  EXPECT_EQ(broken(loose, {.out = Sync::allsync}), "too_late");
  schedule::OneSidedForm const got{{}, single, Mechanism::rendezvous};
  EXPECT_EQ(broken(got, {.in = Sync::mysync}), "nothing");
  EXPECT_EQ(broken(got, {.in = Sync::allsync}), "too_early");
  EXPECT_EQ(broken(got, {.out = Sync::mysync}), "too_late");
}

INSTANTIATE_TEST_SUITE_P(
    , OneSidedChoice, testing::ValuesIn(one_sided_choices()), test::name_of_choice
);

}  // namespace
}  // namespace espalier::verify
