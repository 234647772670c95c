// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/one_sided/programs.hpp"

#include <cstddef>

#include "espalier/schedule/private_memory.hpp"

namespace espalier::cost {

using schedule::RankProgram;

std::vector<RankProgram>
message_programs(algorithms::Choice const& choice, int num_ranks, int root) {
  std::vector<RankProgram> programs;
  programs.reserve(static_cast<std::size_t>(num_ranks));
  for (int rank = 0; rank < num_ranks; ++rank) {
    programs.push_back(schedule::as_called(
        choice.generate_whole(num_ranks, root, rank), choice.collective(), root, false
    ));
  }
  return programs;
}

std::vector<RankProgram>
one_sided_programs(std::vector<RankProgram> const& messages, schedule::OneSidedForm const& form) {
  auto const num_ranks = static_cast<int>(messages.size());
  schedule::ProgramOf const program_of = [&](int rank) {
    return messages[static_cast<std::size_t>(rank)];
  };
  return schedule::one_sided(form, schedule::survey(num_ranks, program_of), program_of);
}

}  // namespace espalier::cost
