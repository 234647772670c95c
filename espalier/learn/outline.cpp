// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/outline.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "espalier/algorithms/composed/native.hpp"
#include "espalier/cost/forms/levels.hpp"

namespace espalier::learn {

std::vector<schedule::RankProgram>
outline_programs(algorithms::Choice const& choice, int num_ranks) {
  std::vector<schedule::RankProgram> programs;
  for (int const rank : std::set{0, num_ranks / 2, num_ranks - 1}) {
    programs.push_back(algorithms::generate_for_model(choice, num_ranks, 0, rank));
  }
  return programs;
}

double outline(
    std::span<schedule::RankProgram const> programs, cost::Setting const& setting, double num_bytes
) {
  cost::LevelTime time(setting, num_bytes);
  std::vector<bool> is_busy;  // of each round
  for (schedule::RankProgram const& program : programs) {
    time.add(program);
    is_busy.resize(std::max(is_busy.size(), static_cast<std::size_t>(program.num_rounds())));
    for (schedule::Operation const& operation : program.operations) {
      auto const round = static_cast<std::size_t>(operation.round);
      is_busy.resize(std::max(is_busy.size(), round + 1));
      is_busy[round] = true;
    }
  }
  auto const num_busy = static_cast<double>(std::ranges::count(is_busy, true));
  return num_busy > 0 ? time.seconds() * static_cast<double>(is_busy.size()) / num_busy : 0;
}

}  // namespace espalier::learn
