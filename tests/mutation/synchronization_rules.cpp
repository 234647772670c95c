// SPDX-License-Identifier: Apache-2.0

/// @file
/// For each of the nine synchronization modes, a schedule that keeps it and changes that break it
/// and nothing else: the next weaker mode is still kept.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/synchronization.hpp"
#include "espalier/verify/verify.hpp"
#include "tests/mutation/mutants.hpp"

namespace espalier::mutation {
namespace {

using schedule::blocks;
using schedule::Builder;
using schedule::Collective;
using schedule::no_counter;
using schedule::Operation;
using schedule::RankProgram;
using schedule::Sync;
using schedule::Synchronization;
using verify::Contract;
using verify::ProverRule;

/// Counters of rank 0.
constexpr int arrived = 0;
constexpr int done = 1;
constexpr int ready = 2;
/// Counters of the others.
constexpr int go = 0;
constexpr int release = 1;

constexpr int round_of_go = 1;
constexpr int round_of_get = 2;
constexpr int round_of_done = 3;
constexpr int round_of_release = 4;

Contract contract_of(Synchronization mode) {
  return {.collective = Collective::bcast, .num_ranks = p, .synchronization = mode};
}

RankProgram root_of(Synchronization mode) {
  Builder builder({.num_ranks = p, .num_output_blocks = 1}, 0);
  if (mode.in == Sync::allsync) {
    builder.await(arrived, p - 1);
  }
  builder.next_round(round_of_go);
  for (int child = 1; child < p; ++child) {
    builder.signal(child, go);
  }
  if (mode.out != Sync::nosync) {
    builder.next_round(round_of_done).await(done, p - 1);
  }
  builder.next_round(round_of_release);
  for (int child = 1; child < p && mode.out == Sync::allsync; ++child) {
    builder.signal(child, release);
  }
  return std::move(builder).finish();
}

RankProgram child_of(Synchronization mode, int rank) {
  Builder builder({.num_ranks = p, .num_output_blocks = 1}, rank);
  if (mode.in == Sync::allsync) {
    builder.signal(0, arrived);
  }
  builder.next_round(round_of_go).await(go);
  builder.next_round(round_of_get).get(0, blocks(0), blocks(0));
  builder.next_round(round_of_done);
  if (mode.out != Sync::nosync) {
    builder.signal(0, done);
  }
  if (mode.out == Sync::allsync) {
    builder.next_round(round_of_release).await(release);
  }
  return std::move(builder).finish();
}

/// The root says go, all others get its block.
Programs flat_broadcast(Synchronization mode) {
  Programs programs{root_of(mode)};
  for (int rank = 1; rank < p; ++rank) {
    programs.push_back(child_of(mode, rank));
  }
  return programs;
}

int index_of(RankProgram const& program, schedule::Kind kind, int tag) {
  int index = 0;
  while (program.operations[static_cast<std::size_t>(index)].kind != kind ||
         program.operations[static_cast<std::size_t>(index)].tag != tag) {
    ++index;
  }
  return index;
}

Operation& operation_of(RankProgram& program, schedule::Kind kind, int tag) {
  return program.operations[static_cast<std::size_t>(index_of(program, kind, tag))];
}

/// Somebody may touch a buffer earlier than the mode says.
void enter_too_early(Programs& programs, Synchronization mode) {
  if (mode.in == Sync::allsync) {
    for (Operation& operation : programs[0].operations) {
      operation.after = operation.tag == go && operation.peer > 0 ? 0 : operation.after;
    }
  } else {
    // Rank 2 does not wait for the word of the root.
    operation_of(programs[2], schedule::Kind::get, 0).after = 0;
  }
}

/// The root writes the block of rank 1 itself, and nobody knows when it has arrived.
void leave_before_the_data(Programs& programs, Synchronization mode) {
  erase_operation(programs[1], index_of(programs[1], schedule::Kind::get, 0));
  if (mode.in == Sync::mysync) {
    append(programs[1], [](Builder& builder) { builder.signal(0, ready); });
    append(programs[0], [](Builder& builder) {
      builder.next_round(round_of_done).await(ready).next_round();
    });
  }
  append(programs[0], [](Builder& builder) {
    builder.next_round(round_of_release).put(1, blocks(0), blocks(0), no_counter);
  });
}

/// Somebody may touch a buffer later than the mode says.
void leave_too_early(Programs& programs, Synchronization mode) {
  if (mode.out == Sync::nosync) {
    leave_before_the_data(programs, mode);
  } else if (mode.out == Sync::mysync) {
    erase_operation(programs[0], index_of(programs[0], schedule::Kind::await, done));
    for (int rank = 1; rank < p; ++rank) {
      RankProgram& child = programs[static_cast<std::size_t>(rank)];
      erase_operation(child, index_of(child, schedule::Kind::signal, done));
    }
  } else {
    // The last word of the root does not wait for what the others say.
    for (int i = index_of(programs[0], schedule::Kind::await, done);
         Operation & operation : programs[0].operations) {
      operation.after = operation.after > i ? i : operation.after;
    }
  }
}

std::optional<Sync> weaker(Sync sync) {
  switch (sync) {
  case Sync::nosync:
    return std::nullopt;
  case Sync::mysync:
    return Sync::nosync;
  case Sync::allsync:
    return Sync::mysync;
  }
  return std::nullopt;
}

testing::AssertionResult holds(Programs const& programs, Synchronization mode) {
  verify::Verdict const verdict = verify::verify(programs, contract_of(mode));
  return verdict.holds() ? testing::AssertionSuccess()
                         : testing::AssertionFailure() << to_string(*verdict.violation);
}

class SynchronizationRules : public testing::TestWithParam<Synchronization> {};

TEST_P(SynchronizationRules, AcceptWhatIsNotChanged) {
  EXPECT_TRUE(holds(flat_broadcast(GetParam()), GetParam()));
}

/// Whoever touches a buffer has entered: no schedule breaks IN_NOSYNC.
TEST_P(SynchronizationRules, RejectATouchBeforeTheEntry) {
  Synchronization const mode = GetParam();
  auto const weaker_in = weaker(mode.in);
  if (!weaker_in) {
    return;
  }
  Programs programs = flat_broadcast(mode);
  enter_too_early(programs, mode);
  EXPECT_TRUE(breaks(ProverRule::too_early, programs, contract_of(mode)));
  EXPECT_TRUE(holds(programs, {.in = *weaker_in, .out = mode.out}));
}

TEST_P(SynchronizationRules, RejectATouchAfterTheLeave) {
  Synchronization const mode = GetParam();
  Programs programs = flat_broadcast(mode);
  leave_too_early(programs, mode);
  EXPECT_TRUE(breaks(ProverRule::too_late, programs, contract_of(mode)));
  if (auto const weaker_out = weaker(mode.out)) {
    EXPECT_TRUE(holds(programs, {.in = mode.in, .out = *weaker_out}));
  }
}

/// IN_MYSYNC|OUT_ALLSYNC as in_mysync_out_allsync.
std::string name_of(testing::TestParamInfo<Synchronization> const& tested) {
  std::string name = to_string(tested.param);
  for (char& letter : name) {
    letter = letter == '|' ? '_' : letter;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    , SynchronizationRules, testing::ValuesIn(schedule::all_synchronizations()), name_of
);

}  // namespace
}  // namespace espalier::mutation
