// SPDX-License-Identifier: Apache-2.0

/// @file
/// Functions of SMPI, behind a program that has ours linked into it: the simulator loads a copy of
/// the program for each rank, and looks for symbols in the copy first. The program has no PMPI_X.

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

#include "shim/symbol.hpp"

namespace espalier::shim {

void* look_for(char const* name) noexcept {
  return dlsym(RTLD_DEFAULT, name);
}

void* find_address(char const* name) noexcept {
  void* const address = look_for(name);
  if (address == nullptr) {
    std::fprintf(
        stderr,
        "espalier: expected %s in the simulator's MPI, found none; install SimGrid 3.32 or newer\n",
        name
    );
    std::abort();
  }
  return address;
}

}  // namespace espalier::shim
