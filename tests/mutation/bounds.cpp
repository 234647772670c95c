// SPDX-License-Identifier: Apache-2.0

/// @file
/// Programs with a position, number or buffer outside its range.

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "espalier/verify/verify.hpp"
#include "tests/mutation/mutants.hpp"

namespace espalier::mutation {
namespace {

using schedule::blocks;
using schedule::Buffer;
using schedule::Kind;
using schedule::RankProgram;
using schedule::Slot;
using verify::ProverRule;

struct Damage {
  char const* what;
  void (*apply)(RankProgram&);
};

class MutationDamage : public testing::TestWithParam<Damage> {};

TEST_P(MutationDamage, IsOutOfBounds) {
  Programs programs = generate("bcast/binomial[segments=3]", p);
  GetParam().apply(programs[2]);
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, broadcast)) << GetParam().what;
}

constexpr std::array damages{
    Damage{"first_block", [](RankProgram& program) { first_slot(program, 0).first = 3; }},
    Damage{"negative_block", [](RankProgram& program) { first_slot(program, 0).first = -1; }},
    Damage{"no_block", [](RankProgram& program) { first_slot(program, 0).num_blocks = 0; }},
    Damage{"too_many_blocks", [](RankProgram& program) { first_slot(program, 0).num_blocks = 4; }},
    Damage{"stride", [](RankProgram& program) { first_slot(program, 0).stride = 3; }},
    Damage{
        "slots_outside_pool", [](RankProgram& program) { program.operations[0].slots.end = 1000; }
    },
    Damage{"slots_backwards", [](RankProgram& program) { program.operations[1].slots.end = 0; }},
    Damage{
        "waits_outside_pool", [](RankProgram& program) { program.operations[1].waits.end = 1000; }
    },
    Damage{
        "empty_buffer",
        [](RankProgram& program) { first_slot(program, 0).buffer = Buffer::scratch; }
    },
    Damage{
        "two_buffers",
        [](RankProgram& program) {
          program.frame.scratch_like = {1};
          program.operations[0].slots = add_slots(
              program,
              {blocks(0), {.buffer = Buffer::scratch, .first = 0, .num_blocks = 1, .stride = 0}}
          );
        }
    },
    Damage{"peer_is_itself", [](RankProgram& program) { program.operations[0].peer = 2; }},
    Damage{"peer_too_large", [](RankProgram& program) { program.operations[0].peer = p; }},
    Damage{"peer_negative", [](RankProgram& program) { program.operations[0].peer = -1; }},
    Damage{"tag_negative", [](RankProgram& program) { program.operations[0].tag = -1; }},
    Damage{"round_negative", [](RankProgram& program) { program.operations[0].round = -1; }},
    Damage{
        "round_too_large", [](RankProgram& program) { program.operations[0].round = 2000000000; }
    },
    Damage{"after_itself", [](RankProgram& program) { program.operations[0].after = 1; }},
    Damage{"after_negative", [](RankProgram& program) { program.operations[0].after = -1; }},
    Damage{"waits_for_itself", [](RankProgram& program) { program.wait_pool[0] = 1; }},
    Damage{"waits_for_negative", [](RankProgram& program) { program.wait_pool[0] = -1; }},
    Damage{"copy_with_peer", [](RankProgram& program) { program.operations[0].kind = Kind::copy; }},
    Damage{
        "send_with_sources", [](RankProgram& program) { program.operations[0].sources = {0, 1}; }
    },
    Damage{
        "copy_without_sources",
        [](RankProgram& program) {
          program.operations[0].kind = Kind::copy;
          program.operations[0].peer = -1;
        }
    },
    Damage{"label", [](RankProgram& program) { program.frame.scratch_like = {3}; }},
    Damage{"rank", [](RankProgram& program) { program.rank = 1; }},
    Damage{"number_of_ranks", [](RankProgram& program) { program.frame.num_ranks = 5; }},
    Damage{"number_of_blocks", [](RankProgram& program) { program.frame.num_output_blocks = 4; }},
    Damage{"no_output", [](RankProgram& program) { program.frame.num_output_blocks = 0; }},
};

std::string name_of(testing::TestParamInfo<Damage> const& tested) {
  return tested.param.what;
}

INSTANTIATE_TEST_SUITE_P(, MutationDamage, testing::ValuesIn(damages), name_of);

TEST(MutationBounds, RejectsPartsOfUnequalNumber) {
  Programs programs = ring();
  for (RankProgram& program : programs) {
    program.frame.num_output_blocks = 5;
  }
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, gather));
}

TEST(MutationBounds, RejectsInputOfWrongSize) {
  Programs programs = ring_with_input();
  programs[1].frame.input_like.push_back(1);
  EXPECT_TRUE(breaks(ProverRule::bounds, programs, gather_from_input));
}

}  // namespace
}  // namespace espalier::mutation
