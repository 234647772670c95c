// SPDX-License-Identifier: Apache-2.0

/// @file
/// Constants that are variables of the MPI library in MPICH's binary interface. This library has
/// copies of its own: it is loaded into processes without an MPI library, too. Does not include
/// mpi.h, which calls the variables constant.

#include "shim/pointer_constants.hpp"

#include "shim/symbol.hpp"

extern "C" {
int* MPI_UNWEIGHTED = nullptr;
int* MPI_WEIGHTS_EMPTY = nullptr;
}

namespace espalier::shim {

void find_pointer_constants(std::string_view) noexcept {
  MPI_UNWEIGHTED = *static_cast<int**>(find_address("MPI_UNWEIGHTED"));
  MPI_WEIGHTS_EMPTY = *static_cast<int**>(find_address("MPI_WEIGHTS_EMPTY"));
}

}  // namespace espalier::shim
