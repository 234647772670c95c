// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <mpi.h>

#include "espalier/exec/mpi_context.hpp"

namespace espalier::plan {

/// Contexts for the messages of many communicators, on one communicator of ours with all ranks of
/// MPI_COMM_WORLD. A context is a number n: its messages have the tags n * tags_per_context and up.
///
/// The ranks of a communicator agree on its number when the communicator is made, with reductions
/// over that very communicator, which nobody else can use yet. No communicator is made, no lock is
/// held meanwhile, and whoever makes a communicator waits for its other ranks anyway: so what ends
/// without this ends with it.
///
/// A number belongs to one communicator of a process at a time, so messages of two communicators
/// with common ranks never meet. It is free again when the communicator is: all its messages were
/// received by then.
///
/// Different threads may claim numbers for different communicators at the same time.
class Contexts {
public:
  /// A program needs tags for its segments only; see MPI_TAG_UB for what is left: 16,384 contexts
  /// with MPICH.
  static constexpr int tags_per_context = 1 << 14;
  static constexpr int max_contexts = 1 << 16;
  /// The number of MPI_COMM_WORLD.
  static constexpr int world = 0;

  Contexts() = default;
  Contexts(Contexts const&) = delete;
  Contexts& operator=(Contexts const&) = delete;
  Contexts(Contexts&&) = delete;
  Contexts& operator=(Contexts&&) = delete;
  ~Contexts() = default;

  /// Makes the communicator. Collective over MPI_COMM_WORLD.
  /// @throws Error mpi.
  void open();
  /// Frees it. Collective over MPI_COMM_WORLD.
  void close() noexcept;

  [[nodiscard]] bool is_open() const noexcept { return comm_ != MPI_COMM_NULL; }

  /// A number for an intracommunicator of ranks of MPI_COMM_WORLD; none, on all ranks, if there is
  /// none left. Collective over comm.
  /// @throws Error mpi.
  [[nodiscard]] std::optional<int> claim(MPI_Comm comm);
  /// Local. The communicator exists no longer.
  void release(int number) noexcept;
  /// Local. Messages may be left: the number is never used again.
  void retire(int number) noexcept;

  /// @param world_ranks  of the ranks of the communicator; empty: they are the same. Not copied.
  [[nodiscard]] exec::MpiContext
  context(int number, std::span<int const> world_ranks) const noexcept;

private:
  enum class Use : std::uint8_t { free, used, retired };

  /// The smallest free number from `least` on becomes used; num_contexts_ if there is none.
  int take(int least);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int num_contexts_ = 0;
  std::mutex mutex_;  ///< guards uses_
  std::vector<Use> uses_;
};

}  // namespace espalier::plan
