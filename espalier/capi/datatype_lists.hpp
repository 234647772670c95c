// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <list>
#include <vector>

#include <mpi.h>

namespace espalier::capi {

/// Datatypes of C for lists of those of Fortran, which all have as many; they live as long as this.
class DatatypeLists {
public:
  explicit DatatypeLists(int num_types) noexcept : num_types_(num_types) {}

  [[nodiscard]] MPI_Datatype const* of(MPI_Fint const* handles) {
    auto& list = lists_.emplace_back();
    for (int i = 0; i < num_types_; ++i) {
      list.push_back(PMPI_Type_f2c(handles[i]));
    }
    return list.data();
  }

private:
  int num_types_;
  std::list<std::vector<MPI_Datatype>> lists_;
};

}  // namespace espalier::capi
