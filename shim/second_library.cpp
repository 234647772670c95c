// SPDX-License-Identifier: Apache-2.0

#include "shim/second_library.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <link.h>

namespace espalier::shim {
namespace {

namespace fs = std::filesystem;

int note_path(dl_phdr_info* object, std::size_t, void* paths) {
  std::string_view const path(object->dlpi_name);
  if (path.substr(path.rfind('/') + 1).starts_with("libmpi")) {
    static_cast<std::vector<std::string>*>(paths)->emplace_back(path);
  }
  return 0;
}

/// The library whose functions of MPI are found through this one; empty if there are none.
fs::path provider(std::string const& path) {
  void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) {
    return {};
  }
  Dl_info place{};
  void* const function = dlsym(library, "PMPI_Init");
  bool const is_placed = function != nullptr && dladdr(function, &place) != 0;
  dlclose(library);
  std::error_code problem;
  return is_placed ? fs::canonical(place.dli_fname, problem) : fs::path();
}

bool is_standard(fs::path const& library) {
  return library.filename().string().starts_with("libmpi_abi.so");
}

bool are_one(fs::path const& one, fs::path const& other) {
  return one == other ||
         (one.parent_path() == other.parent_path() && is_standard(one) != is_standard(other));
}

}  // namespace

std::vector<std::string> mpi_libraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(note_path, &paths);
  return paths;
}

std::string second_library(std::string const& first) {
  std::error_code problem;
  fs::path const known = fs::canonical(first, problem);
  if (problem) {
    return {};
  }
  for (std::string const& path : mpi_libraries()) {
    fs::path const found = provider(path);
    if (!found.empty() && !are_one(found, known)) {
      return found.string();
    }
  }
  return {};
}

}  // namespace espalier::shim
