// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include <mpi.h>

#include "espalier/exec/memory/integers.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"

namespace espalier::capi {

/// Whether the MPI library starts calls with large counts, and we know how to ask it to.
[[nodiscard]] bool has_native_large_counts() noexcept;

/// Copies of lists and types of a call: the program may free its own.
class Keeper {
public:
  Keeper() = default;

  /// @param narrows  numbers become int: the MPI library knows no others
  explicit Keeper(bool narrows) noexcept : narrows_(narrows) {}

  /// So many numbers; nothing if there is no list.
  /// @throws plan::ClassError of the class MPI_ERR_COUNT if one does not fit.
  void keep(exec::Integers& list, int size);
  /// A number. @throws plan::ClassError, the same.
  void keep(std::int64_t number) const;
  /// @throws Error mpi.
  void keep(MPI_Datatype& type);
  /// @throws Error mpi.
  void keep(MPI_Datatype const*& types, int size);

private:
  bool narrows_ = false;
  std::list<std::vector<int>> numbers_;
  std::list<std::vector<std::int64_t>> wide_numbers_;
  std::list<std::vector<MPI_Datatype>> lists_of_types_;
  std::list<exec::MpiType> types_;
};

}  // namespace espalier::capi
