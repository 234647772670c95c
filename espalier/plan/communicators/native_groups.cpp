// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/native_groups.hpp"

#include <algorithm>
#include <chrono>

#include "espalier/mpi/success.hpp"
#include "espalier/plan/clock.hpp"

namespace espalier::plan {
namespace {

using algorithms::Choice;
using mpi::require_success;

using Members = std::vector<int>;

/// Adds the groups of a rank that are not there yet, in the order of its phases.
void add_groups(std::vector<Members>& groups, Choice const& choice, int num_ranks, int rank) {
  int const root = schedule::has_root(choice.collective()) ? rank : 0;
  schedule::RankProgram const program = choice.generate(num_ranks, root, rank);
  for (schedule::NativeCall const& call : program.native_calls) {
    if (std::ranges::find(groups, call.members) == groups.end()) {
      groups.push_back(call.members);
    }
  }
}

bool accepts_all_roots(Choice const& choice, int num_ranks) {
  int const num_roots = schedule::has_root(choice.collective()) ? num_ranks : 1;
  for (int root = 0; root < num_roots; ++root) {
    if (!choice.refuses(num_ranks, root).empty()) {
      return false;
    }
  }
  return true;
}

}  // namespace

NativeGroups::~NativeGroups() {
  for (exec::NativeGroup& group : groups_) {
    PMPI_Comm_free(&group.comm);
  }
}

// Members of a group make it at the same choice and phase, and groups of one phase have no rank in
// common: so no rank waits for one that waits for it. Rank 0 leads whatever has a leader, and
// nobody is in more groups.
void NativeGroups::make(
    MPI_Comm comm, std::span<Choice const* const> choices, CommunicatorFacts const& facts
) {
  Clock::time_point const start = Clock::now();
  std::vector<Members> of_first;
  std::vector<Members> own;
  for (Choice const* const choice : choices) {
    if (!accepts_all_roots(*choice, facts.num_ranks)) {
      continue;
    }
    std::vector<Members> longer = of_first;
    add_groups(longer, *choice, facts.num_ranks, 0);
    if (longer.size() <= most_groups) {
      of_first = std::move(longer);
      add_groups(own, *choice, facts.num_ranks, facts.rank);
      served_.push_back(choice);
    }
  }
  for (Members const& members : own) {
    make_group(comm, members);
  }
  std::chrono::duration<double> const elapsed = Clock::now() - start;
  own_ = {.count = groups_.size(), .seconds = elapsed.count()};
}

void NativeGroups::make_group(MPI_Comm comm, Members const& members) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  require_success(PMPI_Comm_group(comm, &all), "MPI_Comm_group");
  int const code = PMPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &group);
  PMPI_Group_free(&all);
  require_success(code, "MPI_Group_incl");
  int const made_code = PMPI_Comm_create_group(comm, group, 0, &made);
  PMPI_Group_free(&group);
  require_success(made_code, "MPI_Comm_create_group");
  groups_.push_back({.members = members, .comm = made});
  require_success(PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

bool NativeGroups::serve(Choice const& choice) const noexcept {
  return std::ranges::find(served_, &choice) != served_.end();
}

std::size_t NativeGroups::memory_bytes() const noexcept {
  std::size_t total =
      groups_.capacity() * sizeof(exec::NativeGroup) + served_.capacity() * sizeof(Choice const*);
  for (exec::NativeGroup const& group : groups_) {
    total += group.members.capacity() * sizeof(int);
  }
  return total;
}

}  // namespace espalier::plan
