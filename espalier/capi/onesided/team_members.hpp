// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the members of a team find out together when it is made.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/capi/onesided/conduit_object.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/onesided/team/scratch_space.hpp"

namespace espalier::capi {

/// The rank on the conduit of each rank of a communicator, MPI_UNDEFINED if it has none. Local.
/// @throws Error mpi.
[[nodiscard]] std::vector<int> members_of(espalier_conduit const& conduit, MPI_Comm comm);

/// Why the ranks of a communicator cannot be members; empty: they can. Local.
/// @throws Error mpi.
[[nodiscard]] std::string problem_with_members(espalier_conduit const& conduit, MPI_Comm comm);

/// What a member of a new team asks for.
struct ScratchWish {
  std::uint64_t num_bytes = 0;
  std::string no_room;        ///< what this rank has no room for; empty: it has
  std::uint64_t members = 0;  ///< of whom, in one number
};

/// Replaces each word by that of all members, joined bit by bit. Collective over the members;
/// everything of the conduit goes on meanwhile.
using JoinWords = std::function<void(std::vector<std::uint64_t>& words)>;

/// Joins over a copy of a communicator. Every function is collective over it.
class JoinOver {
public:
  /// @param conduit  goes on in all functions; null if this rank has none
  /// @throws Error mpi.
  JoinOver(espalier_conduit* conduit, MPI_Comm comm);

  /// Comes first: a rank whose arguments are wrong does not know how many words the others join.
  /// @param problem  what is wrong on this rank; empty: nothing
  /// @throws Error argument, on all ranks, if one has a problem; mpi.
  void check_problems(std::string const& problem) const;

  /// As JoinWords.
  void operator()(std::vector<std::uint64_t>& words) const;

  /// The copy, for who goes on with it.
  [[nodiscard]] mpi::OwnCommunicator take_communicator() && { return std::move(comm_); }

private:
  espalier_conduit* conduit_;
  mpi::OwnCommunicator comm_;
};

/// Joins by messages between some ranks of the conduit, of which this one is one. Refers to it.
[[nodiscard]] JoinWords joined_between(espalier_conduit& conduit, std::vector<int> ranks);

/// Takes scratch space at the same offset on all members, of which each joins.
/// @throws Error argument, on all of them, if one asks for something else;
///     no_memory, on all of them, also if one has no room; mpi.
[[nodiscard]] onesided::Region
take_scratch(espalier_conduit& conduit, JoinWords const& join, ScratchWish const& wish);

}  // namespace espalier::capi
