// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

namespace espalier::mpi {

/// The name of communicators with messages of Espalier, by which tools tell them from the
/// program's.
inline constexpr char const* own_name = "espalier";

/// A communicator of our own, freed with the object, of which errors are returned.
class OwnCommunicator {
public:
  /// Takes over a communicator; MPI_COMM_NULL is none.
  explicit OwnCommunicator(MPI_Comm comm) noexcept;
  /// Of the same ranks, without attributes, hints and topology. Collective over comm.
  /// @throws Error mpi.
  static OwnCommunicator duplicate(MPI_Comm comm);
  OwnCommunicator(OwnCommunicator&& other) noexcept;
  OwnCommunicator& operator=(OwnCommunicator&& other) noexcept;
  OwnCommunicator(OwnCommunicator const&) = delete;
  OwnCommunicator& operator=(OwnCommunicator const&) = delete;
  ~OwnCommunicator();

  /// Ranks in the order of their keys; without those whose key is MPI_UNDEFINED, on which the
  /// result is none. Collective.
  /// @throws Error mpi.
  [[nodiscard]] OwnCommunicator split(int key) const;

  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }

  /// Hands the communicator over, with the error handler of another one.
  /// @throws Error mpi.
  [[nodiscard]] MPI_Comm release(MPI_Comm like);

  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;

  /// Values of rank 0 on all ranks. Collective.
  /// @throws Error mpi.
  [[nodiscard]] std::string from_root(std::string text) const;
  [[nodiscard]] std::vector<int> from_root(std::vector<int> values) const;

  /// Values of all ranks, rank after rank, on rank 0; nothing on the others. Collective.
  /// @throws Error mpi; unsupported, on all ranks, if they are more than an int counts.
  [[nodiscard]] std::vector<int> at_root(std::span<int const> values) const;

  /// Texts of all ranks, by rank, on rank 0; nothing on the others. Collective.
  /// @throws Error mpi.
  [[nodiscard]] std::vector<std::string> at_root(std::string const& text) const;

  /// Runs an action on rank 0. Collective: what it throws is thrown on all ranks, as an Error.
  void run_at_root(std::function<void()> const& action) const;

private:
  MPI_Comm comm_;
};

}  // namespace espalier::mpi
