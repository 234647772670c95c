// SPDX-License-Identifier: Apache-2.0

/// @file
/// For programs that know nothing of Espalier and are run with it preloaded.

#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

#include <mpi.h>

namespace shim_test {

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Ends the whole job with the rank in the message unless the promise holds.
inline void require(bool holds, std::string const& promise) {
  if (!holds) {
    std::fprintf(stderr, "rank %d: %s\n", rank_of(MPI_COMM_WORLD), promise.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
  }
}

/// MPI_Bcast of this process must be the wrapper, or nothing of what follows tests anything.
inline void require_preloaded() {
  Dl_info info{};
  void* const symbol = dlsym(RTLD_DEFAULT, "MPI_Bcast");
  bool const is_found = dladdr(symbol, &info) != 0;
  require(
      is_found && std::strstr(info.dli_fname, "libespalier-") != nullptr,
      "expected MPI_Bcast of the preloaded library, got that of " +
          std::string(is_found ? info.dli_fname : "nothing")
  );
}

/// Resident memory of this process.
inline long resident_kib() {
  long pages = 0;
  long resident = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) {
      resident = 0;
    }
    std::fclose(file);
  }
  return resident * 4;
}

}  // namespace shim_test
