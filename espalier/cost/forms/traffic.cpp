// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/traffic.hpp"

#include <algorithm>
#include <cstddef>

#include "espalier/algorithms/composed/native.hpp"
#include "espalier/schedule/preconditions.hpp"

namespace espalier::cost {

Amount& Amount::operator+=(Amount const& other) noexcept {
  messages += other.messages;
  blocks += other.blocks;
  return *this;
}

void add_traffic(
    std::vector<Crossings>& rounds,
    schedule::RankProgram const& program,
    machine::Machine const& machine,
    std::span<int const> core_of
) {
  auto const num_levels = static_cast<std::size_t>(machine.num_levels());
  auto const num_rounds = static_cast<std::size_t>(program.num_rounds());
  rounds.resize(std::max(rounds.size(), num_rounds), Crossings(num_levels));
  int const from = core_of[static_cast<std::size_t>(program.rank)];
  schedule::require_messages(program, "the traffic");
  for (schedule::Operation const& operation : program.operations) {
    if (operation.kind != schedule::Kind::send) {
      continue;
    }
    int const to = core_of[static_cast<std::size_t>(operation.peer)];
    Amount const sent{.messages = 1, .blocks = num_blocks(program.slots(operation))};
    Crossings& crossings = rounds[static_cast<std::size_t>(operation.round)];
    for (int level = 0; level < machine.num_levels(); ++level) {
      if (machine.object_of(level, from) != machine.object_of(level, to)) {
        crossings[static_cast<std::size_t>(level)] += sent;
      }
    }
  }
}

std::vector<Crossings> traffic(
    algorithms::Choice const& choice,
    int num_ranks,
    int root,
    machine::Machine const& machine,
    std::span<int const> core_of
) {
  std::vector<Crossings> rounds;
  for (int rank = 0; rank < num_ranks; ++rank) {
    add_traffic(
        rounds, algorithms::generate_for_model(choice, num_ranks, root, rank), machine, core_of
    );
  }
  return rounds;
}

Crossings total(std::span<Crossings const> rounds, machine::Machine const& machine) {
  Crossings sum(static_cast<std::size_t>(machine.num_levels()));
  for (Crossings const& crossings : rounds) {
    for (std::size_t level = 0; level < sum.size(); ++level) {
      sum[level] += crossings[level];
    }
  }
  return sum;
}

}  // namespace espalier::cost
