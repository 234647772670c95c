// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "espalier/machine/sources/interconnect.hpp"

namespace espalier::machine {

/// The name of a file for what is learned under one MPI library on machines of one kind, such as
/// `open-mpi-v4.1.4-amd-epyc-7b13-ethernet-of-unknown-rate-eth0.json`. Nodes with the same
/// processors and the same network give the same name.
/// @param mpi_library  what MPI_Get_library_version says
[[nodiscard]] std::string learned_file_name(
    std::string_view mpi_library, std::string_view processor, Interconnect const& interconnect
);

/// The same for this machine.
[[nodiscard]] std::string learned_file_name(std::string_view mpi_library);

/// Whether a file was named so under this MPI library, on machines of any kind.
[[nodiscard]] bool is_learned_file_name(std::string_view name, std::string_view mpi_library);

/// What the kernel calls the processors; `processor` if it does not say.
/// @param file  stands for `/proc/cpuinfo`
[[nodiscard]] std::string processor_name(std::filesystem::path const& file = "/proc/cpuinfo");

}  // namespace espalier::machine
