// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/info.hpp"

#include <cstddef>

#include "espalier/mpi/success.hpp"

namespace espalier::mpi {

std::optional<std::string> info_value(MPI_Info info, char const* key) {
  int length = 0;
  int is_there = 0;
  if (info != MPI_INFO_NULL) {
    require_success(PMPI_Info_get_valuelen(info, key, &length, &is_there), "MPI_Info_get_valuelen");
  }
  if (is_there == 0) {
    return std::nullopt;
  }
  std::string value(static_cast<std::size_t>(length) + 1, '\0');
  require_success(PMPI_Info_get(info, key, length, value.data(), &is_there), "MPI_Info_get");
  value.resize(static_cast<std::size_t>(length));
  return value;
}

}  // namespace espalier::mpi
