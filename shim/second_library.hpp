// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace espalier::shim {

/// Paths of what this process has loaded and is called like a part of an MPI library.
[[nodiscard]] std::vector<std::string> mpi_libraries();

/// Another MPI library that this process has loaded: handles of one mean nothing to the other, and
/// nobody can tell which of them a call of the program was compiled for. The library of the
/// standard ABI in the folder of an MPI library belongs to it.
/// @param first  path of the library that the calls reach
/// @return its path; empty if there is none
[[nodiscard]] std::string second_library(std::string const& first);

}  // namespace espalier::shim
