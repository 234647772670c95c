// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <mpi.h>

#include "espalier/exec/node/group.hpp"
#include "espalier/exec/node/segment.hpp"

namespace espalier::exec::node {

/// The ranks that share a node with this one, and the memory that they share.
class Node {
public:
  /// Collective over `all`. Ranks of one node agree: either all of them have the memory, or none.
  /// @throws Error mpi.
  explicit Node(MPI_Comm all);

  /// Whether this rank shares memory with others.
  [[nodiscard]] bool is_shared() const noexcept { return segment_.has_value(); }

  /// Whether memory is missing on some node with several ranks. The same on all ranks.
  [[nodiscard]] bool is_missing_somewhere() const noexcept { return is_missing_somewhere_; }

  /// Whether on each node the ranks of a communicator with this number have memory for its
  /// messages, or are alone. The same on all ranks.
  [[nodiscard]] bool serves(int context) const noexcept { return context < num_contexts_; }

  /// What the ranks of a communicator on this node have for its messages; null if that is nothing:
  /// this rank is alone, or all ranks know from the number that there is no room. Local.
  /// @param context  number that is used by one communicator of these ranks at a time
  /// @param ranks  of `all`, that the communicator consists of; empty: the first num_ranks
  ///
  /// Who asks again while others hold the group gets the same one: a channel has one link at a
  /// time.
  [[nodiscard]] std::shared_ptr<Group>
  group(int context, std::span<int const> ranks, int num_ranks);

private:
  void find_ranks(MPI_Comm all, MPI_Comm local);
  void share(MPI_Comm local);
  void find_processes(MPI_Comm local);
  void agree(MPI_Comm all);
  [[nodiscard]] std::vector<Group::Member> members(std::span<int const> ranks, int num_ranks) const;

  std::vector<int> ranks_;        ///< of this node, in `all`, by number on the node
  std::vector<pid_t> processes_;  ///< of these ranks, if all may read each other's memory
  int own_ = 0;                   ///< number of this rank on the node
  std::optional<Segment> segment_;
  bool is_missing_somewhere_ = false;
  int num_contexts_ = 0;  ///< with a part of the memory on every node; 0 in a simulation
  bool shares_processors_ = false;
  std::mutex mutex_;                            ///< guards what follows
  std::map<int, std::weak_ptr<Group>> groups_;  ///< by context
};

}  // namespace espalier::exec::node
