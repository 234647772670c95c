// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/kept_tunings.hpp"

#include <cstdio>
#include <ctime>
#include <set>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/capi/environment.hpp"
#include "espalier/capi/onesided/choices/member_nodes.hpp"
#include "espalier/profile/kept_file.hpp"

namespace espalier::capi {

KeptTunings::KeptTunings(
    mpi::OwnCommunicator const& own, std::string_view transport, std::vector<int> node_of_rank
)
    : transport_(transport), node_of_rank_(std::move(node_of_rank)) {
  own.run_at_root([&] {
    path_ = teams_file();
    try {
      std::string const text = path_.empty() ? "" : profile::kept_text(path_);
      usable_ = text.empty() ? "" : usable_part(text, path_, transport_, std::time(nullptr));
    } catch (Error const& error) {
      complain(std::string(error.what()) + "; what is measured for teams is not kept");
      path_.clear();
    }
  });
  path_ = own.from_root(std::move(path_));
  usable_ = own.from_root(std::move(usable_));
}

TeamMemory KeptTunings::memory_of(std::vector<int> const& members) const {
  return kept_memory(usable_, shape_of(members));
}

void KeptTunings::keep(std::vector<int> const& members, Measured const& measured) {
  if (path_.empty()) {
    return;
  }
  try {
    profile::change_kept_file(path_, [&](std::string const& before) {
      return with_measured(before, path_, shape_of(members), measured, std::time(nullptr));
    });
  } catch (Error const& error) {
    complain(std::string(error.what()) + "; what was measured for a team is lost");
  }
}

TeamShape KeptTunings::shape_of(std::vector<int> const& members) const {
  std::set<int> nodes;
  for (int const member : members) {
    nodes.insert(node_of_rank_[static_cast<std::size_t>(member)]);
  }
  return {
      .transport = transport_,
      .num_ranks = static_cast<int>(members.size()),
      .num_nodes = static_cast<int>(nodes.size()),
      .placement = placement_of(member_nodes(node_of_rank_, members)),
  };
}

void KeptTunings::complain(std::string const& problem) {
  if (!has_complained_) {
    std::fprintf(stderr, "espalier: %s\n", problem.c_str());
  }
  has_complained_ = true;
}

}  // namespace espalier::capi
