// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/team/planned_collective.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "espalier/exec/memory/places.hpp"
#include "espalier/onesided/program/program_runner.hpp"

namespace espalier::onesided {

using exec::Places;
using schedule::RankProgram;

PlannedCollective::PlannedCollective(
    int num_ranks,
    int rank,
    schedule::ProgramOf const& program_of,
    schedule::OneSidedForm const& form,
    LayoutOf const& layout_of,
    exec::Combine combine
)
    : TeamCollective(num_ranks), combine_(std::move(combine)) {
  std::vector<RankProgram> messages;
  messages.reserve(static_cast<std::size_t>(num_ranks));
  for (int of = 0; of < num_ranks; ++of) {
    messages.push_back(program_of(of));
  }
  auto const kept = [&](int of) { return messages[static_cast<std::size_t>(of)]; };
  schedule::Survey const found = schedule::survey(num_ranks, kept);
  std::vector<RankProgram> const programs = schedule::one_sided(form, found, kept);
  std::vector<Places> places;
  for (int of = 0; of < num_ranks; ++of) {
    RankProgram const& made = programs[static_cast<std::size_t>(of)];
    UserBlocks const blocks = layout_of(of);
    places.emplace_back(
        made.frame,
        of,
        blocks.output(),
        exec::BindOptions{.input = blocks.input(), .output_sizes = blocks.sizes()}
    );
    auto const counters = static_cast<std::uint64_t>(made.num_counters());
    auto const scratch = static_cast<std::uint64_t>(places.back().scratch_bytes());
    need_.num_counters = std::max(need_.num_counters, counters);
    need_.scratch_bytes = std::max(need_.scratch_bytes, scratch);
  }
  program_ =
      exec::bind_one_sided(programs[static_cast<std::size_t>(rank)], [&](int of) -> Places const& {
        return places[static_cast<std::size_t>(of)];
      });
}

std::unique_ptr<Runner>
PlannedCollective::runner(Conduit& conduit, std::span<int const> members) const {
  return std::make_unique<ProgramRunner>(conduit, members, program_, combine_);
}

}  // namespace espalier::onesided
