// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include <mpi.h>

#include "espalier/exec/messages/mpi_context.hpp"
#include "espalier/learn/meeting.hpp"

namespace espalier::plan {

/// Exchanges of the ranks of one communicator about what they learn. Used by one thread at a time.
class Exchange {
public:
  /// What it needs of the communicator.
  struct Ranks {
    MPI_Comm comm = MPI_COMM_NULL;  ///< of the user
    int rank = 0;
    int num_ranks = 1;
    int num_nodes = 1;
    /// For each rank its rank in MPI_COMM_WORLD; empty: the same. Must outlive the exchanges.
    std::span<int const> world_ranks{};
    /// For messages of ours, of which its first tag alone is used; without a communicator there
    /// are none.
    exec::MpiContext context;
  };

  explicit Exchange(Ranks const& ranks) : ranks_(ranks) {}

  /// From now on there may be messages. On all ranks between the same exchanges.
  void use(exec::MpiContext const& context) noexcept { ranks_.context = context; }

  /// The most numbers that are exchanged at a time.
  static constexpr std::size_t most_numbers = 16;

  /// Replaces numbers by the smallest of all ranks. No rank returns before all have called it.
  /// Collective over the communicator; each rank has as many numbers.
  /// @param node_of_rank  of the ranks of MPI_COMM_WORLD; empty: all are on one node
  /// @throws Error mpi.
  void find_least(std::span<double> numbers, std::span<int const> node_of_rank);

  /// What the ranks agreed on: seconds that are left for trials.
  void note_left(double seconds) noexcept {
    left_ = seconds;
    ++num_notes_;
  }

  /// Nothing was left when that was noted last. The same on all ranks, as is num_notes().
  [[nodiscard]] bool is_spent() const noexcept { return left_ <= 0; }

  [[nodiscard]] std::int64_t num_notes() const noexcept { return num_notes_; }

  /// There are calls that take long, in which ranks run ahead of each other. The same on all ranks.
  void note_dear_looks() noexcept { are_looks_dear_ = true; }

  /// Whether an exchange may wait behind messages of such calls.
  [[nodiscard]] bool are_looks_dear() const noexcept { return are_looks_dear_; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return meeting_ ? meeting_->memory_bytes() : 0;
  }

private:
  void meet(std::span<double> numbers, learn::Meeting const& meeting) const;
  void tell_other_nodes(std::span<double> numbers, learn::Meeting const& meeting) const;
  void send(std::span<double const> numbers, int rank) const;
  void receive(std::span<double> numbers, int rank) const;
  void receive_least(std::span<double> numbers, int rank) const;

  Ranks ranks_;
  std::optional<learn::Meeting> meeting_;  ///< made by the first exchange
  double left_ = std::numeric_limits<double>::infinity();
  std::int64_t num_notes_ = 0;
  bool are_looks_dear_ = false;
};

}  // namespace espalier::plan
