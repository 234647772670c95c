// SPDX-License-Identifier: Apache-2.0

#include "shim/symbol.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

#include "shim/second_library.hpp"

namespace espalier::shim {
namespace {

/// The MPI library of a program that opened it after its start, as Python does. From now on its
/// functions are found by whoever calls them, as if the program had been linked with it.
void* open_late_library() {
  for (std::string const& name : mpi_libraries()) {
    void* const library = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    if (library != nullptr && dlsym(library, "PMPI_Init") != nullptr) {
      return library;
    }
  }
  return nullptr;
}

void* find_late(char const* name) {
  static void* const library = open_late_library();
  return library == nullptr ? nullptr : dlsym(library, name);
}

}  // namespace

void* look_for(char const* name) noexcept {
  void* const address = dlsym(RTLD_NEXT, name);
  return address == nullptr ? find_late(name) : address;
}

void* find_address(char const* name) noexcept {
  void* const address = look_for(name);
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
