// SPDX-License-Identifier: Apache-2.0

/// @file
/// One-sided programs of schedules of the catalog are proved in every mode, by every mechanism, in
/// both address modes.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/verify/verify.hpp"
#include "tests/support/one_sided.hpp"

namespace espalier::verify {
namespace {

using test::one_sided_choices;

/// p = 1 .. 17, 32 and 33; fewer in slow builds.
std::vector<int> numbers_of_ranks() {
#ifdef ESPALIER_FEW_RANKS
  return {1, 2, 3, 5, 7, 8, 9};
#else
  std::vector<int> numbers;
  for (int p = 1; p <= 17; ++p) {
    numbers.push_back(p);
  }
  numbers.insert(numbers.end(), {32, 33});
  return numbers;
#endif
}

std::vector<int> roots_of(schedule::Collective collective, int p) {
  std::vector<int> roots{0};
  if (has_root(collective)) {
    for (int const root : {1, p / 2, p - 1}) {
      if (root < p && std::ranges::find(roots, root) == roots.end()) {
        roots.push_back(root);
      }
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
          ASSERT_TRUE(verdict.holds())
              << test::name_of(choice, p, root, is_in_place, form) << ": "
              << to_string(*verdict.violation);
          ++num_proved;
        }
      }
    }
  }
  EXPECT_GE(num_proved, 63 * 3);
}

INSTANTIATE_TEST_SUITE_P(
    , OneSidedChoice, testing::ValuesIn(one_sided_choices()), test::name_of_choice
);

}  // namespace
}  // namespace espalier::verify
