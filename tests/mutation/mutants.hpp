// SPDX-License-Identifier: Apache-2.0

/// @file
/// Correct schedules, and ways to break one operation of them.

#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/program.hpp"
#include "espalier/verify/verify.hpp"

namespace espalier::mutation {

using Programs = std::vector<schedule::RankProgram>;

/// Programs of all ranks of a choice such as `allgather/ring`.
[[nodiscard]] Programs generate(std::string_view choice, int num_ranks, int root = 0);
/// The same run backwards: reduce from bcast, reduce_scatter from allgather.
[[nodiscard]] Programs generate_reversed(std::string_view choice, int num_ranks, int root = 0);

/// Most tests break schedules of so many ranks.
inline constexpr int p = 4;
inline constexpr verify::Contract gather{
    .collective = schedule::Collective::allgather, .num_ranks = p
};
inline constexpr verify::Contract broadcast{
    .collective = schedule::Collective::bcast, .num_ranks = p
};
inline constexpr verify::Contract gather_from_input{
    .collective = schedule::Collective::allgather, .num_ranks = p, .is_in_place = false
};

/// allgather/ring of p ranks, in place and with a separate input.
[[nodiscard]] Programs ring();
[[nodiscard]] Programs ring_with_input();

/// Success if exactly this rule is named.
[[nodiscard]] testing::AssertionResult
breaks(verify::ProverRule rule, verify::Verdict const& verdict);
[[nodiscard]] testing::AssertionResult
breaks(verify::ProverRule rule, Programs const& programs, verify::Contract const& contract);

/// Adds operations behind the program of one rank; they wait for all its writes.
template <typename Add> void append(schedule::RankProgram& program, Add&& add) {
  schedule::Builder builder(std::move(program));
  add(builder);
  program = std::move(builder).finish();
}

[[nodiscard]] schedule::Slot& first_slot(schedule::RankProgram& program, std::size_t operation);

/// Slots of an operation, to be changed in place.
[[nodiscard]] std::vector<schedule::Slot>
slots_of(schedule::RankProgram const& program, schedule::Range range);
/// Puts new slots behind the pool and returns where they stand.
[[nodiscard]] schedule::Range
add_slots(schedule::RankProgram& program, std::vector<schedule::Slot> const& slots);

/// Takes one operation out; positions in `after` and `waits` of the others follow.
void erase_operation(schedule::RankProgram& program, int index);
/// Takes one entry out of an operation's waits.
void erase_wait(schedule::RankProgram& program, int index, int position);

}  // namespace espalier::mutation
