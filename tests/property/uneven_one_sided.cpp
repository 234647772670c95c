// SPDX-License-Identifier: Apache-2.0

/// @file
/// One-sided programs with blocks of different sizes, some of them empty. What is proved of blocks
/// holds for blocks of any size if both ends of each transfer have the same bytes: a put or a get
/// never has to guess how large a block of a peer is, for any number of ranks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/exec/memory/binding.hpp"
#include "tests/support/choice_name.hpp"
#include "tests/support/one_sided.hpp"
#include "tests/support/team_forms.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::Kind;
using schedule::RankProgram;

/// Three kinds of sizes, by label: some blocks empty, all of them, and all but one.
enum class Sizes : std::uint8_t { some_empty, all_empty, one };

std::int64_t elements_of(Sizes sizes, int label) {
  switch (sizes) {
  case Sizes::some_empty:
    return label * 7 % 5;
  case Sizes::all_empty:
    return 0;
  case Sizes::one:
    break;
  }
  return label == 1 ? 3 : 0;
}

Layout layout_of(Sizes sizes, schedule::Frame const& frame, Buffer buffer) {
  std::vector<Extent> extents;
  std::int64_t end = 0;
  for (int block = 0; block < frame.num_blocks(buffer); ++block) {
    std::int64_t const count = elements_of(sizes, frame.like(buffer, block));
    extents.push_back({.offset_bytes = end, .num_elements = count});
    end += count + 1;  // a gap
  }
  return Layout::of(std::move(extents), 1);
}

/// The programs of all ranks, bound to such blocks.
std::vector<BoundProgram> bound(std::vector<RankProgram> const& programs, Sizes sizes) {
  std::vector<Layout> layouts;
  std::vector<Places> places;
  layouts.reserve(2 * programs.size());
  for (RankProgram const& program : programs) {
    Layout const& output = layouts.emplace_back(layout_of(sizes, program.frame, Buffer::output));
    Layout const& input = layouts.emplace_back(layout_of(sizes, program.frame, Buffer::input));
    places.emplace_back(program.frame, program.rank, output, BindOptions{.input = &input});
  }
  std::vector<BoundProgram> result;
  result.reserve(programs.size());
  for (RankProgram const& program : programs) {
    result.push_back(bind_one_sided(program, [&](int rank) -> Places const& {
      return places[static_cast<std::size_t>(rank)];
    }));
  }
  return result;
}

std::int64_t bytes_of(std::span<Piece const> pieces) {
  std::int64_t result = 0;
  for_each_run(pieces, [&](std::int64_t, std::int64_t count) { result += count; });
  return result;
}

/// Operations whose ends differ, and puts that would drop the counter that their receiver awaits.
int num_wrong(std::vector<BoundProgram> const& programs) {
  int wrong = 0;
  for (BoundProgram const& program : programs) {
    for (BoundOperation const& operation : program.operations) {
      bool const moves = operation.kind == Kind::put || operation.kind == Kind::get ||
                         operation.kind == Kind::copy || operation.kind == Kind::reduce;
      bool const has_both =
          bytes_of(program.pieces(operation)) == bytes_of(program.sources(operation));
      bool const raises = operation.kind == Kind::put && operation.tag != schedule::no_counter;
      bool const is_kept = !raises || !operation.is_empty();
      wrong += (moves && !has_both) || !is_kept ? 1 : 0;
    }
  }
  return wrong;
}

/// 1 .. 33; fewer in slow builds.
std::vector<int> numbers_of_ranks() {
#ifdef ESPALIER_FEW_RANKS
  return {1, 2, 3, 5, 7, 8, 9};
#else
  std::vector<int> numbers(33);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<int>(i) + 1;
  }
  return numbers;
#endif
}

/// Those that can have blocks of different sizes at all.
std::vector<char const*> uneven_choices() {
  std::vector<char const*> choices = test::one_sided_choices();
  std::erase_if(choices, [](char const* text) {
    auto const choice = algorithms::Choice::parse(text);
    return choice.algorithm().equal_blocks_only || !schedule::has_parts(choice.collective());
  });
  return choices;
}

class UnevenBlocks : public testing::TestWithParam<char const*> {};

TEST_P(UnevenBlocks, HaveTheSameBytesAtBothEndsInEveryForm) {
  auto const choice = algorithms::Choice::parse(GetParam());
  for (int const p : numbers_of_ranks()) {
    int const root = has_root(choice.collective()) ? p / 2 : 0;
    if (!choice.refuses(p, root).empty()) {
      continue;
    }
    for (bool const is_in_place : test::places(choice.collective())) {
      test::OneSidedCase const the(choice, p, root, is_in_place);
      for (schedule::OneSidedForm const& form : test::one_sided_forms()) {
        std::vector<RankProgram> const programs =
            schedule::one_sided(form, the.survey(), the.program_of());
        for (Sizes const sizes : {Sizes::some_empty, Sizes::all_empty, Sizes::one}) {
          ASSERT_EQ(num_wrong(bound(programs, sizes)), 0)
              << test::name_of(choice, p, root, is_in_place, form);
        }
      }
    }
  }
}

class UnevenBlocksOfTeams : public testing::TestWithParam<schedule::Collective> {};

/// Up to the first form in which they have not; pieces of vectors among them.
TEST_P(UnevenBlocksOfTeams, HaveTheSameBytesAtBothEndsInEveryForm) {
  for (int const p : {2, 3, 5, 8}) {
    test::TeamPlace const place{GetParam(), p, has_root(GetParam()) ? p / 2 : 0};
    test::for_each_team_form(
        place,
        [&](algorithms::Choice const& choice,
            test::OneSidedCase const& the,
            schedule::OneSidedForm const& form) {
          if (choice.algorithm().equal_blocks_only || HasFailure()) {
            return;
          }
          std::vector<RankProgram> const programs =
              schedule::one_sided(form, the.survey(), the.program_of());
          for (Sizes const sizes : {Sizes::some_empty, Sizes::all_empty, Sizes::one}) {
            EXPECT_EQ(num_wrong(bound(programs, sizes)), 0) << test::name_of(place, choice, form);
          }
        }
    );
  }
}

INSTANTIATE_TEST_SUITE_P(
    ,
    UnevenBlocksOfTeams,
    testing::ValuesIn(test::team_collectives()),
    [](auto const& tested) { return std::string(to_string(tested.param)); }
);

INSTANTIATE_TEST_SUITE_P(, UnevenBlocks, testing::ValuesIn(uneven_choices()), test::name_of_choice);

}  // namespace
}  // namespace espalier::exec
