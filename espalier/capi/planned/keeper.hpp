// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <list>
#include <vector>

#include <mpi.h>

#include "espalier/exec/memory/integers.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"

namespace espalier::capi {

/// Copies of lists and types of a call: the program may free its own.
class Keeper {
public:
  /// So many numbers, which are int; nothing if there is no list.
  void keep(exec::Integers& list, int size);
  /// @throws Error mpi.
  void keep(MPI_Datatype& type);
  /// @throws Error mpi.
  void keep(MPI_Datatype const*& types, int size);

private:
  std::list<std::vector<int>> numbers_;
  std::list<std::vector<MPI_Datatype>> lists_of_types_;
  std::list<exec::MpiType> types_;
};

}  // namespace espalier::capi
