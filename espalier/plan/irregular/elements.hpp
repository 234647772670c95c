// SPDX-License-Identifier: Apache-2.0

/// @file
/// Elements in memory that a call names, looked at and moved one by one: for calls that are out of
/// the ordinary, where time does not matter.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mpi.h>

#include "espalier/exec/messages/mpi_datatype.hpp"

namespace espalier::plan {

/// Some elements of one type, from an address on.
struct Elements {
  void const* address = nullptr;
  std::int64_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;

  [[nodiscard]] bool is_empty() const noexcept { return count <= 0; }

  friend bool operator==(Elements const&, Elements const&) = default;
};

/// The facts of a type; nothing of MPI_DATATYPE_NULL. @throws Error mpi.
[[nodiscard]] exec::TypeShape shape_of(MPI_Datatype type);

/// Bytes of the data. @throws Error mpi.
[[nodiscard]] std::int64_t size_bytes(Elements const& elements);

/// `address` and so many extents of the type more. @throws Error mpi.
[[nodiscard]] void* at_extent(void const* address, std::int64_t count, MPI_Datatype type);

/// @throws ClassError what MPI says of elements that nobody can send or receive: a negative count,
/// no type, no memory, MPI_IN_PLACE where it means nothing.
void require_possible(Elements const& elements);

/// True if some libraries complain: no type for no elements, or one that was not committed.
[[nodiscard]] bool is_questionable(Elements const& elements, MPI_Comm self) noexcept;

/// True if they share memory. Only the first byte is known of types with gaps.
/// @throws Error mpi.
[[nodiscard]] bool share_memory(Elements const& a, Elements const& b);

/// The data, one after the other. @throws Error mpi.
[[nodiscard]] std::vector<std::byte> packed(Elements const& elements);

/// Data into elements: as many as there are, at most `to.count`.
/// @return MPI_SUCCESS, or a code of class MPI_ERR_TRUNCATE if there were more.
/// @throws Error mpi.
[[nodiscard]] int unpack(std::vector<std::byte> const& data, Elements const& to);

}  // namespace espalier::plan
