// SPDX-License-Identifier: Apache-2.0

/// @file
/// Which MPI library a process has, and whether Espalier was tested with it. Includes no mpi.h.

#pragma once

#include <string>
#include <string_view>

namespace espalier {

/// The MPI library of a process.
struct MpiLibrary {
  std::string file;     ///< its path, empty if unknown
  std::string version;  ///< as of short_version()
};

/// The first words of what MPI_Get_library_version says, as in `MPICH 4.0.2`.
[[nodiscard]] std::string short_version(std::string_view text);

/// The family of MPI libraries that calls itself so: `mpich`, also by its standard ABI. Empty if it
/// is unknown.
[[nodiscard]] std::string_view family_of(std::string_view version);

/// Why programs that use this library run without Espalier, which was built for the interface
/// `family`; `abi` is the standard one. Nothing if they run with it.
[[nodiscard]] std::string why_native(MpiLibrary const& library, std::string_view family);

}  // namespace espalier
