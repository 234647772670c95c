// SPDX-License-Identifier: Apache-2.0

/// @file
/// Constants of the standard ABI are numbers in mpi.h. Intel MPI 2021 has one of them by a draft of
/// the standard, in which two error handlers were the other way round.

#include <mpi.h>

#include "shim/handle.hpp"
#include "shim/pointer_constants.hpp"

extern "C" {
/// MPI_ERRORS_RETURN wherever this library is compiled (cmake/StandardAbi.cmake).
MPI_Errhandler espalier_errors_return = espalier::shim::from_handle<MPI_Errhandler>(0x143);
}

namespace espalier::shim {

void find_pointer_constants(std::string_view library_version) noexcept {
  if (library_version.starts_with("Intel(R) MPI Library 2021")) {
    espalier_errors_return = from_handle<MPI_Errhandler>(0x142);
  }
}

}  // namespace espalier::shim
