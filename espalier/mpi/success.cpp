// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/success.hpp"

#include <array>
#include <cstddef>
#include <string>

#include <mpi.h>

#include "espalier/base/error.hpp"

namespace espalier::mpi {

void require_success(int code, char const* call) {
  if (code == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  throw Error(
      ErrorCode::mpi,
      std::string(call) + " must succeed, got '" +
          std::string(text.data(), static_cast<std::size_t>(length)) + "'"
  );
}

}  // namespace espalier::mpi
