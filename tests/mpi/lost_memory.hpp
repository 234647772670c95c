// SPDX-License-Identifier: Apache-2.0

/// @file
/// Memory that is lost between MPI_Init and MPI_Finalize. Known only in a build with the address
/// sanitizer. What libraries below us lose there is left out by their names
/// (leaks_of_libraries.txt), what they lose in these two calls altogether: some are unloaded in
/// them, and have no names after that.

#pragma once

#include <mpi.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace espalier::test {

/// MPI_Init.
inline void start_mpi(int* argc, char*** argv) {
#ifdef __SANITIZE_ADDRESS__
  __lsan::ScopedDisabler const disabler;
#endif
  MPI_Init(argc, argv);
}

/// Whether memory of this process was lost so far, which is reported then.
inline bool has_lost_memory() {
#ifdef __SANITIZE_ADDRESS__
  return __lsan_do_recoverable_leak_check() != 0;
#else
  return false;
#endif
}

}  // namespace espalier::test
