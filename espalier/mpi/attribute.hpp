// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include <mpi.h>

namespace espalier::mpi {

/// A pointer that communicators may have. Their duplicates do not get it.
class Attribute {
public:
  /// @param on_delete  called with `extra` for a communicator that has it, when it is freed or
  ///     loses it
  /// @throws Error mpi.
  explicit Attribute(
      MPI_Comm_delete_attr_function* on_delete = MPI_COMM_NULL_DELETE_FN, void* extra = nullptr
  );
  Attribute(Attribute const&) = delete;
  Attribute& operator=(Attribute const&) = delete;
  Attribute(Attribute&&) = delete;
  Attribute& operator=(Attribute&&) = delete;
  /// Leaves the key to MPI, which may be finalised.
  ~Attribute() = default;

  /// What a communicator has, maybe a null pointer; none if nothing was set.
  /// @throws Error mpi.
  [[nodiscard]] std::optional<void*> of(MPI_Comm comm) const;
  /// The same. @return a code of MPI
  int find(MPI_Comm comm, std::optional<void*>& value) const noexcept;
  /// @throws Error mpi.
  void set(MPI_Comm comm, void* value) const;
  /// From a communicator that has it.
  void remove(MPI_Comm comm) const noexcept;
  /// No communicator gets it any more.
  void free() noexcept;

private:
  int key_ = MPI_KEYVAL_INVALID;
};

}  // namespace espalier::mpi
