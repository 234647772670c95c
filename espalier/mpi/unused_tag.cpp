// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/unused_tag.hpp"

#include <cstdint>
#include <limits>

#include <mpi.h>

namespace espalier::mpi {
namespace {

/// Only MPI_COMM_WORLD says it under every MPI.
int largest_tag() noexcept {
  int const* value = nullptr;
  int is_found = 0;
  int const code =
      PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, reinterpret_cast<void*>(&value), &is_found);
  // What every MPI has to have.
  return code == MPI_SUCCESS && is_found != 0 ? *value : std::numeric_limits<std::int16_t>::max();
}

}  // namespace

int unused_tag() noexcept {
  static int const tag = largest_tag();
  return tag;
}

}  // namespace espalier::mpi
