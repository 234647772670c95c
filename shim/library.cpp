// SPDX-License-Identifier: Apache-2.0

#include "shim/library.hpp"

#include <bit>
#include <cstdlib>
#include <dlfcn.h>
#include <optional>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "shim/symbol.hpp"

namespace espalier::shim {

MpiLibrary find_library() {
  // Larger than MPI_MAX_LIBRARY_VERSION_STRING of every MPI: this may not be the one of mpi.h.
  std::vector<char> buffer(16384);
  int (*get_version)(char*, int*) = nullptr;
  find_symbol("PMPI_Get_library_version", get_version);
  int size = 0;
  if (get_version(buffer.data(), &size) != MPI_SUCCESS) {
    buffer.front() = '\0';
  }
  Dl_info place{};
  bool const is_placed = dladdr(std::bit_cast<void*>(get_version), &place) != 0;
  return {
      .file = is_placed && place.dli_fname != nullptr ? place.dli_fname : "",
      .version = short_version(buffer.data()),
  };
}

namespace {

/// What launchers say; nothing without one.
std::optional<std::string_view> rank_by_launcher() noexcept {
  for (char const* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    char const* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace

bool may_be_rank_zero() noexcept {
  return rank_by_launcher().value_or("0") == "0";
}

bool is_rank_zero() noexcept {
  return rank_by_launcher() == "0";
}

}  // namespace espalier::shim
