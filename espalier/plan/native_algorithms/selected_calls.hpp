// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "espalier/plan/native_algorithms/native_selections.hpp"
#include "espalier/plan/settings/statistics.hpp"

namespace espalier::plan {

/// Algorithms of the MPI library on one communicator of the program. Where the library selects them
/// when a communicator is made, each has a communicator of its own with the same ranks, made when
/// that of the program is prepared, never in a collective.
class SelectedCalls {
public:
  /// Most communicators for one of the program's, and most of the program's that have some: those
  /// with the smallest numbers of contexts, which ranks agreed on.
  static constexpr std::size_t most_communicators = 8;
  static constexpr int most_contexts = 64;

  /// How a call is made.
  struct Selected {
    NativeSelection const* selection;
    /// Where it is called; MPI_COMM_NULL: on that of the program, with the variables written.
    MPI_Comm comm;
  };

  SelectedCalls() = default;
  SelectedCalls(SelectedCalls const&) = delete;
  SelectedCalls& operator=(SelectedCalls const&) = delete;
  SelectedCalls(SelectedCalls&&) = delete;
  SelectedCalls& operator=(SelectedCalls&&) = delete;
  /// Frees its communicators, unless abandoned. Collective over each.
  ~SelectedCalls();

  /// Collective over comm if the library selects by communicator, else local. Of what would need
  /// more communicators than there may be, none is made; of what is there already neither.
  /// @param selection  must outlive the object; the same on all ranks
  /// @param context  the number of the context of comm
  /// @throws Error mpi.
  void add(MPI_Comm comm, int num_ranks, NativeSelection const& selection, int context);

  /// Null if the ordinary native call is to be made. The same on all ranks.
  [[nodiscard]] Selected const*
  find(profile::Call call, algorithms::Choice const& choice) const noexcept;

  [[nodiscard]] OwnCommunicators const& own_communicators() const noexcept { return own_; }

  /// Local. Lets go of everything in MPI, which is gone.
  void abandon() noexcept { selected_.clear(); }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return sizeof(*this) + selected_.capacity() * sizeof(Selected);
  }

private:
  std::vector<Selected> selected_;
  OwnCommunicators own_;
};

}  // namespace espalier::plan
