// SPDX-License-Identifier: Apache-2.0

/// @file
/// Communicators with the ranks of another in another order.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mpi.h>

namespace espalier::exec {

/// How the communicator is made. Both give the same order.
enum class Creation {
  split,  ///< one MPI_Comm_split with the position as key
  group,  ///< MPI_Comm_group, MPI_Group_incl, MPI_Comm_create, as [karlsson2012] does
};

/// A communicator on which the rank at position i of a rank vector is rank i, and all collectives
/// of the MPI library run as on any other: where they go by rank (blocks of a scatter, roots, order
/// of operands), they mean the new ranks.
class ReorderedCommunicator {
public:
  /// Collective over comm; communicates beyond making the communicator: what is wrong on one rank
  /// is an error on all.
  /// @param ranks a permutation of the ranks of comm, the same on all of them.
  /// @throws Error argument with the same text on all ranks if it is not; mpi.
  ReorderedCommunicator(
      MPI_Comm comm, std::span<int const> ranks, Creation creation = Creation::split
  );
  ReorderedCommunicator(ReorderedCommunicator const&) = delete;
  ReorderedCommunicator& operator=(ReorderedCommunicator const&) = delete;
  ReorderedCommunicator(ReorderedCommunicator&& other) noexcept;
  ReorderedCommunicator& operator=(ReorderedCommunicator&& other) noexcept;
  /// Collective: frees the communicator; before MPI_Finalize.
  ~ReorderedCommunicator();

  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }

  /// The rank in the original communicator of a rank in this one.
  [[nodiscard]] int original_of(int new_rank) const {
    return ranks_[static_cast<std::size_t>(new_rank)];
  }

  /// The rank in this communicator of a rank in the original one.
  [[nodiscard]] int new_of(int original_rank) const {
    return positions_[static_cast<std::size_t>(original_rank)];
  }

private:
  std::vector<int> ranks_;
  std::vector<int> positions_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace espalier::exec
