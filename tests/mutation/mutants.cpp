// SPDX-License-Identifier: Apache-2.0

#include "tests/mutation/mutants.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::mutation {

using schedule::Operation;
using schedule::Range;
using schedule::RankProgram;
using schedule::Slot;

Programs generate(std::string_view choice, int num_ranks, int root) {
  auto const parsed = algorithms::Choice::parse(choice);
  Programs programs;
  for (int rank = 0; rank < num_ranks; ++rank) {
    programs.push_back(parsed.generate(num_ranks, root, rank));
  }
  return programs;
}

Programs generate_reversed(std::string_view choice, int num_ranks, int root) {
  Programs programs = generate(choice, num_ranks, root);
  int num_rounds = 0;
  for (RankProgram const& program : programs) {
    num_rounds = std::max(num_rounds, program.num_rounds());
  }
  for (RankProgram& program : programs) {
    program = schedule::reverse(program, num_rounds);
  }
  return programs;
}

Programs ring() {
  return generate("allgather/ring", p);
}

Programs ring_with_input() {
  Programs programs = ring();
  for (RankProgram& program : programs) {
    program = schedule::from_input(std::move(program), schedule::Collective::allgather, 0);
  }
  return programs;
}

testing::AssertionResult breaks(verify::ProverRule rule, verify::Verdict const& verdict) {
  if (verdict.holds()) {
    return testing::AssertionFailure() << "nothing is broken, expected " << to_string(rule);
  }
  if (verdict.violation->rule != rule) {
    return testing::AssertionFailure()
           << "expected " << to_string(rule) << ", got " << to_string(*verdict.violation);
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult
breaks(verify::ProverRule rule, Programs const& programs, verify::Contract const& contract) {
  return breaks(rule, verify::verify(programs, contract));
}

Slot& first_slot(RankProgram& program, std::size_t operation) {
  auto const begin = program.operations[operation].slots.begin;
  return program.slot_pool[static_cast<std::size_t>(begin)];
}

std::vector<Slot> slots_of(RankProgram const& program, Range range) {
  return {program.slot_pool.begin() + range.begin, program.slot_pool.begin() + range.end};
}

Range add_slots(RankProgram& program, std::vector<Slot> const& slots) {
  auto const begin = static_cast<int>(program.slot_pool.size());
  program.slot_pool.insert(program.slot_pool.end(), slots.begin(), slots.end());
  return {.begin = begin, .end = static_cast<int>(program.slot_pool.size())};
}

void erase_operation(RankProgram& program, int index) {
  program.operations.erase(program.operations.begin() + index);
  std::vector<int> waits;
  for (Operation& operation : program.operations) {
    operation.after -= operation.after > index ? 1 : 0;
    operation.after_sends -= operation.after_sends > index ? 1 : 0;
    auto const begin = static_cast<int>(waits.size());
    for (int const waited_for : program.waits(operation)) {
      if (waited_for != index) {
        waits.push_back(waited_for - (waited_for > index ? 1 : 0));
      }
    }
    operation.waits = {.begin = begin, .end = static_cast<int>(waits.size())};
  }
  program.wait_pool = std::move(waits);
}

void erase_wait(RankProgram& program, int index, int position) {
  Operation& operation = program.operations[static_cast<std::size_t>(index)];
  auto const waits = program.waits(operation);
  std::vector<int> kept(waits.begin(), waits.end());
  kept.erase(kept.begin() + position);
  auto const begin = static_cast<int>(program.wait_pool.size());
  program.wait_pool.insert(program.wait_pool.end(), kept.begin(), kept.end());
  operation.waits = {.begin = begin, .end = static_cast<int>(program.wait_pool.size())};
}

}  // namespace espalier::mutation
