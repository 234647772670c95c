// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/library_version.hpp"

#include <array>
#include <cstddef>

#include <mpi.h>

#include "espalier/mpi/success.hpp"

namespace espalier::mpi {

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  require_success(PMPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace espalier::mpi
