// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/exec/messages/mpi_context.hpp"
#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/settings/statistics.hpp"

namespace espalier::plan {

/// Communicators for the native phases of choices: rows and columns of the ranks of one of the
/// program's. Made when that communicator is prepared, never in a collective.
///
/// Of any choice a rank is in the same groups whatever the root is, since groups of a phase that
/// may be native do not depend on it, or are those of the root's place in its row. So the program
/// of each rank as the root names all groups that it is ever in.
class NativeGroups {
public:
  /// Most communicators for one of the program's that a rank is in, and most of the program's that
  /// have some: those with the smallest numbers of contexts, which ranks agreed on.
  static constexpr std::size_t most_groups = 8;
  static constexpr int most_communicators = 64;

  NativeGroups() = default;
  NativeGroups(NativeGroups const&) = delete;
  NativeGroups& operator=(NativeGroups const&) = delete;
  NativeGroups(NativeGroups&&) = delete;
  NativeGroups& operator=(NativeGroups&&) = delete;
  /// Frees them, unless abandoned. Collective over each.
  ~NativeGroups();

  /// Collective over comm, whose ranks have the same choices.
  /// @param choices  that may serve calls on comm; of those that need too many groups, or refuse
  ///     this number of ranks, none is made
  /// @throws Error mpi.
  void make(
      MPI_Comm comm,
      std::span<algorithms::Choice const* const> choices,
      CommunicatorFacts const& facts
  );

  /// Whether all groups of a choice are there. The same on all ranks.
  [[nodiscard]] bool serve(algorithms::Choice const& choice) const noexcept;

  [[nodiscard]] std::span<exec::NativeGroup const> groups() const noexcept { return groups_; }

  [[nodiscard]] OwnCommunicators const& own_communicators() const noexcept { return own_; }

  /// Local. Lets go of everything in MPI, which is gone.
  void abandon() noexcept { groups_.clear(); }

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  void make_group(MPI_Comm comm, std::vector<int> const& members);

  std::vector<exec::NativeGroup> groups_;
  std::vector<algorithms::Choice const*> served_;
  OwnCommunicators own_;
};

}  // namespace espalier::plan
