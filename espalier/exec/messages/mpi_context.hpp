// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mpi.h>

#include "espalier/exec/node/group.hpp"

namespace espalier::exec {

/// A communicator for native phases, with the error handler MPI_ERRORS_RETURN.
struct NativeGroup {
  std::vector<int> members;  ///< ranks of the collective, in the order of the communicator
  MPI_Comm comm = MPI_COMM_NULL;
};

/// Where messages of ours travel, in the sense of MPI's word: apart from all others. Either a whole
/// communicator of our own, or some tags of one, which many contexts share.
struct MpiContext {
  MpiContext() = default;

  /// A whole communicator is a context: ranks as they are, all tags.
  MpiContext(MPI_Comm whole) noexcept : comm(whole) {}

  /// Private to Espalier, with the error handler MPI_ERRORS_RETURN; not duplicated, not freed.
  MPI_Comm comm = MPI_COMM_NULL;
  int first_tag = 0;
  /// From first_tag on; 0: as many as MPI has.
  int num_tags = 0;
  /// Tags of programs below num_own_tags, which is most, have another place: from first_own_tag on.
  int first_own_tag = 0;
  int num_own_tags = 0;
  /// For each rank of the collective its rank in `comm`; empty: they are the same. Looked at only
  /// while an executor is made.
  std::span<int const> ranks{};
  /// Communicators of native phases that this rank is in. Looked at only while an executor is made.
  std::span<NativeGroup const> groups{};
  /// Copies inside the rank are messages of it to itself: the processor must not touch the memory
  /// of the program, which the MPI library may. Programs without scratch blocks touch it in no
  /// other way.
  bool copies_by_messages = false;
  /// What shares memory with this rank; null: every message is one of MPI. Its ranks are those in
  /// `comm`. Must outlive the executors.
  node::Group* group = nullptr;

  /// From the tag of a message in a program to that of MPI. The same at both ends of a message.
  [[nodiscard]] int tag_in_comm(int tag) const noexcept {
    return tag < num_own_tags ? first_own_tag + tag : first_tag + tag;
  }

  [[nodiscard]] int rank_in_comm(int rank) const noexcept {
    return ranks.empty() ? rank : ranks[static_cast<std::size_t>(rank)];
  }

  /// How messages to and from a rank of the collective travel; null: by MPI. Both ends of a message
  /// have links to each other, or none has.
  [[nodiscard]] node::Link* link(int rank) const {
    return group != nullptr ? group->link(rank_in_comm(rank)) : nullptr;
  }
};

}  // namespace espalier::exec
