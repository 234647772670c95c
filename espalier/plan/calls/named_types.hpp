// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <mpi.h>

namespace espalier::plan {

/// What predefined operators may be applied to, in the words of the standard.
enum class Operand : std::uint8_t {
  other,
  c_integer,
  integer,  ///< of Fortran, or of no language: MPI_AINT
  floating,
  logical,
  complex,
  byte,
  pair,  ///< value and place
};

/// What deciding has to know of a datatype.
struct TypeFacts {
  std::int64_t size_bytes = 0;
  bool is_gapless = false;  ///< the data are one run of bytes from the address of the element on
  bool is_named = false;    ///< the handle means the same for ever
  Operand operand = Operand::other;  ///< `other` unless it is named
};

/// Facts of datatypes. Named types live for ever and are remembered; nothing is kept of others,
/// whose handles may mean another type tomorrow. Used by one thread at a time.
class NamedTypes {
public:
  /// @param self  see Library; with MPI_COMM_NULL types are not asked whether they were committed.
  explicit NamedTypes(MPI_Comm self = MPI_COMM_NULL) noexcept : self_(self) {}

  /// Size and kind of a committed datatype that is not MPI_DATATYPE_NULL.
  /// @throws Error mpi; argument for a type that was not committed.
  [[nodiscard]] TypeFacts facts(MPI_Datatype type);

  /// Whether it is a named type that was asked for lately, or MPI_DATATYPE_NULL. MPI is not asked,
  /// so that it may be any number.
  [[nodiscard]] bool knows(MPI_Datatype type) const noexcept {
    bool is_known = type == MPI_DATATYPE_NULL;
    for (std::size_t i = 0; i < num_entries_; ++i) {
      is_known = is_known || entries_[i].type == type;
    }
    return is_known;
  }

private:
  TypeFacts ask(MPI_Datatype type);

  struct Entry {
    MPI_Datatype type;
    TypeFacts facts;
  };

  static constexpr std::size_t capacity = 8;

  MPI_Comm self_;
  std::array<Entry, capacity> entries_;
  std::size_t num_entries_ = 0;
  std::size_t next_ = 0;
};

}  // namespace espalier::plan
