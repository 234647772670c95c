// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/native_algorithms/selected_calls.hpp"

#include <algorithm>
#include <chrono>

#include "espalier/mpi/same_ranks.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/clock.hpp"
#include "espalier/plan/native_algorithms/native_menu.hpp"

namespace espalier::plan {
namespace {

using mpi::require_success;

/// The same ranks. Errors come back as codes.
MPI_Comm alike(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  require_success(mpi::make_same_ranks(comm, made), "MPI_Comm_create");
  return made;
}

}  // namespace

SelectedCalls::~SelectedCalls() {
  for (Selected& one : selected_) {
    if (one.comm != MPI_COMM_NULL) {
      PMPI_Comm_free(&one.comm);
    }
  }
}

void SelectedCalls::add(
    MPI_Comm comm, int num_ranks, NativeSelection const& selection, int context
) {
  if (find(selection.call, selection.choice) != nullptr ||
      !refuses_ranks(selection.choice, num_ranks).empty()) {
    return;
  }
  selected_.reserve(selected_.size() + 1);
  if (!selects_by_communicator()) {
    selected_.push_back({.selection = &selection, .comm = MPI_COMM_NULL});
    return;
  }
  if (context >= most_contexts || selected_.size() >= most_communicators) {
    return;
  }
  Clock::time_point const start = Clock::now();
  WrittenVariables const written(selection.settings);
  selected_.push_back({.selection = &selection, .comm = alike(comm)});
  std::chrono::duration<double> const elapsed = Clock::now() - start;
  own_.add({.count = 1, .seconds = elapsed.count()});
}

SelectedCalls::Selected const*
SelectedCalls::find(profile::Call call, algorithms::Choice const& choice) const noexcept {
  auto const found = std::ranges::find_if(selected_, [&](Selected const& one) {
    return one.selection->call == call && one.selection->choice == choice;
  });
  return found == selected_.end() ? nullptr : &*found;
}

}  // namespace espalier::plan
