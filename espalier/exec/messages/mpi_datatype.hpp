// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>

#include <mpi.h>

#include "espalier/exec/memory/binding.hpp"

namespace espalier::exec {

/// What MPI says about a datatype.
struct TypeShape {
  std::int64_t size_bytes = 0;  ///< of the data
  std::int64_t lower_bound_bytes = 0;
  std::int64_t extent_bytes = 0;
  std::int64_t true_lower_bound_bytes = 0;
  std::int64_t true_extent_bytes = 0;
  /// Data are one run of bytes in memory order, from the address of the element on: a named type
  /// without padding, or `dup` and `contiguous` of one. May travel, and be cut, as bytes.
  bool is_gapless = false;
  /// Not all basic elements have the same type, or they are of a type with padding.
  bool is_mixed = false;
};

/// @throws Error mpi.
[[nodiscard]] TypeShape describe(MPI_Datatype type);

/// Whether a type is one of MPI's own, which nobody frees.
/// @throws Error mpi.
[[nodiscard]] bool is_named(MPI_Datatype type);

/// A datatype, freed with the object unless it is a predefined one. Must end before MPI_Finalize.
class MpiType {
public:
  MpiType() = default;
  /// An own, committed type with the data of a type of the user, who may free that at any time. It
  /// has none of its attributes, and the type of the user need not be committed.
  /// @throws Error mpi.
  static MpiType duplicate(MPI_Datatype type);
  /// Takes over a derived type and commits it.
  /// @throws Error mpi.
  static MpiType adopt(MPI_Datatype type);
  /// Takes over a type as it is; predefined types are left alone.
  /// @throws Error mpi.
  static MpiType own(MPI_Datatype type);

  MpiType(MpiType&& other) noexcept;
  MpiType& operator=(MpiType&& other) noexcept;
  MpiType(MpiType const&) = delete;
  MpiType& operator=(MpiType const&) = delete;
  ~MpiType();

  [[nodiscard]] MPI_Datatype get() const noexcept { return type_; }

private:
  MpiType(MPI_Datatype type, bool is_owned) noexcept : type_(type), is_owned_(is_owned) {}

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool is_owned_ = false;
};

/// Pieces of elements as one datatype, to be used with count 1 at the base address. Runs may be
/// longer than an int counts.
/// @param elements  Types of the elements, by Piece::type.
/// @throws Error mpi.
[[nodiscard]] MpiType
make_type(std::span<Piece const> pieces, std::span<MPI_Datatype const> elements);

}  // namespace espalier::exec
