// SPDX-License-Identifier: Apache-2.0

#include "shim/symbol.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace espalier::shim {

void* find_address(char const* name) noexcept {
  void* const address = dlsym(RTLD_NEXT, name);
  if (address == nullptr) {
    std::fprintf(
        stderr,
        "espalier: expected %s in the MPI library of this program, found none; run it without "
        "Espalier in LD_PRELOAD\n",
        name
    );
    std::abort();
  }
  return address;
}

}  // namespace espalier::shim
